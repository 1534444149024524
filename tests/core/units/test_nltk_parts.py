# SPDX-License-Identifier: AGPL-3.0-or-later
"""NLTK in parts: what is used comes without the rest, and the rest can still be imported."""

import subprocess
import sys

LIGHT = """
import sys
from core.units.sentences import punkt
from core.units.words import _treebank
found = list(punkt().span_tokenize("Dr. Lee met Prof. Kim. Then they left."))
assert found == [(0, 22), (23, 38)], found
assert _treebank().tokenize("They left.") == ["They", "left", "."]
assert "scipy" not in sys.modules and "nltk" not in sys.modules
"""
WHOLE = """
import nltk
from nltk.tokenize import word_tokenize
from nltk.tokenize.punkt import PunktSentenceTokenizer
assert nltk.tokenize.punkt.PunktSentenceTokenizer is PunktSentenceTokenizer
"""


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_punkt_and_treebank_come_without_the_rest_of_nltk():
    run(LIGHT)


def test_the_whole_of_nltk_can_be_imported_afterwards():
    run(LIGHT + WHOLE)


def test_a_whole_nltk_that_is_there_already_is_used():
    run("import nltk\nfrom core.units.sentences import punkt\n" + "punkt().tokenize('A. B.')")
