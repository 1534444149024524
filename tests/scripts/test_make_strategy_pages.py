# SPDX-License-Identifier: AGPL-3.0-or-later
import pytest

from scripts import make_strategy_pages


def test_asking_for_help_writes_no_page(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(make_strategy_pages, "FOLDER", tmp_path)
    with pytest.raises(SystemExit) as ended:
        make_strategy_pages.main(["--help"])

    assert ended.value.code == 0
    assert "--folder" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_an_unknown_argument_is_refused_before_anything_is_written(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        make_strategy_pages.main(["--folder", str(tmp_path / "pages"), "--all"])

    assert ended.value.code == 2
    assert "--all" in capsys.readouterr().err
    assert not (tmp_path / "pages").exists()
