# SPDX-License-Identifier: AGPL-3.0-or-later
"""Detected languages."""

import pytest

from core.document.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sat on the mat and looked at the dog that was in the garden.", "en"),
        ("Die Katze saß auf der Matte und sah den Hund, der im Garten nicht war.", "de"),
        ("Le chat est dans le jardin et il ne voit pas les oiseaux qui sont sur une table.", "fr"),
        ("El gato que está en la casa no es el que come con los perros de la calle.", "es"),
        ("Il gatto che è nella casa non è quello che mangia con gli altri nel giardino.", "it"),
        ("Кошка сидит на столе и не видит, что из окна за ней смотрит собака.", "ru"),
        ("猫がマットの上に座って、庭の犬を見ていた。", "ja"),
        ("归属于上市公司股东的扣除非经常性损益的净利润", "zh"),
        ("고양이가 매트 위에 앉아 있다.", "ko"),
        ("القطة تجلس على السجادة", "ar"),
        ("החתול יושב על השטיח", "he"),
        ("", "en"),
        ("12 34 56", "en"),
    ],
)
def test_the_language_is_told_from_script_and_small_words(text, language):
    assert detect_language(text) == language
