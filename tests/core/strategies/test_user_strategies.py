# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies of the user's: asked for once a version, told with file and line, harming nothing."""

import re
import shutil
import sys
import time
from pathlib import Path

import pytest

from core.document.model import Document
from core.errors import Cancelled, ParameterError
from core.strategies import user_strategies, watched
from core.strategies.registry import find, strategies
from core.strategies.source import Source
from core.strategies.user_strategies import (
    UserStrategyError,
    agree,
    disagree,
    found,
    load_agreed,
    strategies_folder,
)

TEXT = "1 Scope\nAll.\n1.1 Terms\nThese.\n2. Price\nFree.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path))
    place = strategies_folder()
    place.mkdir()
    yield place
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path / "empty"))
    load_agreed()  # takes out what the test has loaded


@pytest.fixture
def template(folder, root):
    path = folder / "clauses.py"
    shutil.copy(root / "resources" / "strategy_template.py", path)
    return path


def refusal(code: str) -> str:
    with pytest.raises(ParameterError) as caught:
        find(code)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_code_in_a_file_that_waits_is_told_with_the_way_to_agree(folder):
    ran = folder / "ran"
    path = folder / "own.py"
    path.write_text(f"open({str(ran)!r}, 'w')\nDeclaration(code='MYNCC', name='Mine')\n")

    said = refusal("mYncc")

    assert f"{path} waits for your agreement" in said
    assert "press Load" in said
    assert not ran.exists()


def test_files_that_wait_are_counted_where_none_names_the_code(folder):
    assert "agreement" not in refusal("MYNCC")
    (folder / "one.py").write_text("code = 'MY' + 'NCC'\n")
    assert "one of your own waits for your agreement" in refusal("MYNCC")
    (folder / "two.py").write_text("# MYNCC\n")
    assert "2 of your own wait for your agreement" in refusal("MYNCC")

    for name in ("one.py", "two.py"):
        agree(folder / name)
    assert "agreement" not in refusal("MYNCC")


def texts(code: str, **parameters) -> list[str]:
    made = find(code)
    slow, fast = made.split(made.declaration.check(parameters))
    return made.cut(made.prepare(Source(Document(TEXT)), **slow), **fast).all_texts(TEXT)


def written(template: Path, old: str, new: str) -> Path:
    before = template.read_text("utf-8")
    assert old in before
    template.write_text(before.replace(old, new), "utf-8")
    agree(template)
    return template


def test_a_file_is_not_run_before_the_user_agrees(template):
    assert [(each.place, each.agreed) for each in found()] == [(str(template), False)]

    assert load_agreed().codes == ()
    assert "MYNCC" not in strategies()


def test_the_template_is_loaded_after_agreement_and_works_as_the_page_says(template):
    agree(template)

    assert load_agreed().codes == ("MYNCC",)
    assert find("MYNCC").origin == str(template)
    assert texts("MYNCC", depth=1) == ["1 Scope\nAll.\n1.1 Terms\nThese.\n", "2. Price\nFree.\n"]
    assert len(texts("MYNCC", depth=2)) == 3


def test_the_code_of_the_page_about_adding_a_strategy_runs(template, root, capsys):
    page = (root / "docs" / "add-a-strategy.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)

    for block in blocks:
        exec(compile(block, "add-a-strategy.md", "exec"), {})

    assert "MYNCC" in capsys.readouterr().out


def test_a_changed_file_is_taken_out_until_the_user_agrees_again(template):
    agree(template)
    load_agreed()
    template.write_text(template.read_text("utf-8") + "\n# changed\n", "utf-8")

    assert load_agreed().codes == ()
    assert "MYNCC" not in strategies()

    agree(template)
    assert load_agreed().codes == ("MYNCC",)


def test_a_version_that_is_loaded_is_not_run_again(template):
    written(
        template, "import re\n", "import re\nimport sys\nsys.runs = getattr(sys, 'runs', 0) + 1\n"
    )
    load_agreed()
    load_agreed()

    assert sys.runs == 1
    del sys.runs


def test_a_withdrawn_agreement_takes_the_strategy_out(template):
    agree(template)
    load_agreed()
    disagree(template)

    load_agreed()

    assert "MYNCC" not in strategies()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param("RULE = Rule(", "RULE = Rule((", "SyntaxError", id="syntax"),
        pytest.param("RULE = Rule(", "RULE = Rulle(", "NameError", id="name"),
        pytest.param('code="MYNCC"', 'code="FC"', "FC is registered twice", id="code taken"),
        pytest.param("@strategy(MYNCC, prepare=find_clauses)\n", "", "registers no", id="nothing"),
        pytest.param("RULE = Rule(", "raise SystemExit(3)\nRULE = Rule(", "SystemExit", id="exit"),
        pytest.param(
            "@strategy(MYNCC",
            "from core.errors import ParameterError\nraise ParameterError('no')\n@strategy(MYNCC",
            r", line \d+: ParameterError: no",
            id="an error of ours",
        ),
        pytest.param("default=2", "default=None", "clauses.py", id="no default"),
        pytest.param("default=2", "default=99", "defaults of MYNCC .* depth is 99", id="default"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_told_and_leaves_nothing(template, old, new, words):
    written(template, old, new)
    before = set(strategies())

    loaded = load_agreed()

    assert re.search(words, str(loaded.errors[0]))
    assert str(template) in str(loaded.errors[0])
    assert set(strategies()) == before


def test_one_bad_file_does_not_keep_another_from_loading(template, folder):
    bad = folder / "a_bad_one.py"
    bad.write_text("x = 1\n\n1 / 0\n", "utf-8")
    agree(bad)
    agree(template)

    loaded = load_agreed()

    assert loaded.codes == ("MYNCC",)
    assert str(loaded.errors[0]) == f"{bad}, line 3: ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(
            "chosen = (", "chosen = 1 / 0 * (", r", line \d+: ZeroDivisionError", id="in cut"
        ),
        pytest.param(
            "    found = list(", "    found = lisst(", r", line \d+: NameError", id="in prepare"
        ),
        pytest.param("[clauses.length]]", "[10_000]]", r"outside of \[0, 45\)", id="span"),
        pytest.param(
            "    return one_span_chunks(",
            "    return []\n    one_span_chunks(",
            r", line \d+: MYNCC must return Chunks",
            id="no chunks",
        ),
        pytest.param(
            "chosen = (", "raise SystemExit(3)\n    chosen = (", "SystemExit: 3", id="exit"
        ),
        pytest.param(
            ".astype(np.int64)", ".astype(np.float64)", "int64, but made float64", id="floats"
        ),
        pytest.param(
            "    chosen = (",
            "    while True:\n        pass\n    chosen = (",
            r", line \d+: had not ended",
            id="endless",
        ),
    ],
)
def test_an_error_while_it_runs_names_file_and_line(template, old, new, words, monkeypatch):
    monkeypatch.setattr(user_strategies, "CUT_SECONDS", 0.2)
    written(template, old, new)
    load_agreed()

    with pytest.raises(UserStrategyError, match=words) as error:
        texts("MYNCC")

    assert str(template) in str(error.value)


def test_a_preparation_that_never_ends_stops_soon_after_it_is_cancelled(template, monkeypatch):
    monkeypatch.setattr(watched, "GRACE_SECONDS", 0.1)
    written(template, "    found = list(", "    while True:\n        pass\n    found = list(")
    load_agreed()
    begin = time.monotonic()

    class After:
        def check(self):
            if time.monotonic() > begin + 0.2:
                raise Cancelled

    with pytest.raises(Cancelled):
        find("MYNCC").prepare(Source(Document(TEXT), cancel=After()))


def test_what_a_strategy_prints_does_not_come_between_the_results(template, capsys):
    written(template, "    chosen = (", "    print('seen')\n    chosen = (")
    load_agreed()
    texts("MYNCC")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "seen\n")


def test_an_error_that_the_strategy_means_for_the_user_is_left_as_it_is(template):
    written(
        template,
        "    chosen = (",
        "    from core.errors import ParameterError\n"
        "    raise ParameterError('depth is wrong')\n"
        "    chosen = (",
    )
    load_agreed()

    with pytest.raises(ParameterError, match=r"^depth is wrong$"):
        texts("MYNCC")


def test_a_damaged_record_of_agreements_only_means_to_be_asked_again(template):
    agree(template)
    (template.parent.parent / user_strategies.AGREEMENTS).write_text("{", "utf-8")

    assert not found()[0].agreed


def test_a_file_elsewhere_cannot_be_agreed_to(folder, tmp_path):
    other = tmp_path / "other.py"
    other.write_text("", "utf-8")

    with pytest.raises(UserStrategyError, match="put the file into"):
        agree(other)


def test_without_a_folder_nothing_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_CONFIG_DIR", str(tmp_path / "none"))

    assert found() == []
    assert load_agreed().codes == ()


def test_an_entry_point_is_asked_for_and_loaded_like_a_file(folder, tmp_path, monkeypatch, root):
    site = tmp_path / "site"
    info = site / "clauses-1.0.dist-info"
    info.mkdir(parents=True)
    shutil.copy(root / "resources" / "strategy_template.py", site / "my_clauses_module.py")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: clauses\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[chunkscope.strategies]\nclauses = my_clauses_module\n")
    monkeypatch.syspath_prepend(str(site))

    (point,) = found()
    assert point.place == "entry point clauses = my_clauses_module"
    assert load_agreed().codes == ()
    assert "my_clauses_module" not in sys.modules
    agree(point.place)
    assert load_agreed().codes == ("MYNCC",)
    sys.modules.pop("my_clauses_module")
