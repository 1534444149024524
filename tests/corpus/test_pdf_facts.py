# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the PDF process reads from real files: facts that were measured with other means.

The facts are those of the traps in the shared folder, which number the sections named here.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.document.client import PdfClient
from core.document.page_notices import collect_notices
from core.document.pdf_values import Annotation, FormField, Link, PdfInfo
from core.document.raw import SUPERSCRIPT, VERTICAL, RawPage
from core.errors import DocumentError, PasswordError
from tests.conftest import shared_path
from tests.core.document.made_pdfs import page_lines, page_text, word_box

pytestmark = pytest.mark.skipif(shared_path() is None, reason="no shared test data")

Box = tuple[int, int, int, int]


class Corpus:
    """Clients of the files of the corpus, opened once each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clients: dict[str, PdfClient] = {}
        self.page = cache(self._page)

    def client(self, name: str) -> PdfClient:
        if name not in self._clients:
            client = PdfClient(self._folder / f"{name}.pdf")
            client.open("userpass" if name == "enc_user_health_1p" else "")
            self._clients[name] = client
        return self._clients[name]

    def info(self, name: str) -> PdfInfo:
        info = self.client(name).info
        assert info is not None
        return info

    def _page(self, name: str, index: int = 0) -> RawPage:
        return self.client(name).raw_page(index)

    def pages(self, name: str) -> list[RawPage]:
        return list(self.client(name).raw_pages(range(self.info(name).page_count)))

    def close(self) -> None:
        for client in self._clients.values():
            client.close()


@pytest.fixture(scope="module")
def corpus(shared: Path) -> Iterator[Corpus]:
    files = Corpus(shared / "corpus")
    yield files
    files.close()


def assert_near(box: Box, expected: Box) -> None:
    assert np.abs(np.array(box) - expected).max() <= 1, f"{box} is not {expected}"


WORDS = [
    ("paper_twocol_naacl06_8p", 0, "covers", 0, (94, 384, 122, 396)),
    ("long_freeculture_352p", 30, "inception", 0, (113, 283, 168, 293)),
    ("paper_health_shiftwork_ligatures_17p", 0, "conflict", 0, (362, 106, 438, 126)),
    ("fakebold_sample_1p", 0, "BOLD TEXT SAMPLE", 0, (72, 162, 192, 179)),
    ("rotated90_table_nics_1p", 0, "Alabama", 0, (526, 43, 532, 66)),
    ("rotated90_table_nics_1p", 0, "Wyoming", 0, (137, 43, 143, 67)),
    ("rotated180_table_uprighttext_1p", 0, "Table", 0, (516, 84, 526, 103)),
    ("rotated180_table_uprighttext_1p", 0, "Middle", 0, (366, 89, 376, 113)),
    ("rotated270_crop_letter_1p", 0, "HERAUSGEBER:", 0, (66, 70, 123, 79)),
    ("rotated270_crop_letter_1p", 0, "GMBl", 0, (281, 49, 304, 59)),
    ("ocr_rotated270_1p", 0, "Helvetica", 0, (37, 34, 113, 60)),
    ("crop_mboxorigin_voters_5p", 0, "Alcona", 0, (15, 255, 42, 267)),
    ("crop_mboxorigin_voters_5p", 0, "Poll Book Totals", 0, (117, 164, 133, 251)),
    ("form_160f_filled_js_1p", 0, "Certificat", 0, (64, 48, 133, 70)),
    ("guideline_who_hcv_155p", 24, "SEROLOGICAL", 0, (66, 108, 75, 156)),
    ("damaged_repaired_mixedpages_8p", 0, "Murphy", 0, (72, 179, 105, 192)),
    ("damaged_repaired_mixedpages_8p", 1, "Murphy", 0, (507, 179, 540, 192)),
    ("damaged_repaired_mixedpages_8p", 2, "Murphy", 0, (507, 600, 540, 613)),
    ("damaged_repaired_mixedpages_8p", 3, "Murphy", 0, (72, 600, 105, 613)),
    ("damaged_repaired_mixedpages_8p", 4, "Murphy", 0, (600, 72, 613, 105)),
    ("damaged_repaired_mixedpages_8p", 5, "Murphy", 0, (600, 507, 613, 540)),
    ("damaged_repaired_mixedpages_8p", 6, "Murphy", 0, (179, 507, 192, 540)),
    ("damaged_repaired_mixedpages_8p", 7, "Murphy", 0, (179, 72, 192, 105)),
    ("cjk_ja_vertical_1p", 0, "わたくしといふ", 0, (661, 65, 671, 132)),
    ("ocr_invisible_backus_1p", 0, "metacomposition", 0, (234, 182, 306, 195)),
    ("ocr_invisible_backus_1p", 0, "pCONS", 0, (190, 102, 220, 113)),
    ("enc_user_health_1p", 0, "Kerala", 0, (41, 405, 72, 419)),
    ("ctrlchars_tamreview_23p", 1, "Abstract", 0, (91, 171, 134, 181)),
    ("magazine_de_order_1p", 0, "Schöne", 0, (116, 132, 168, 148)),
    ("guide_health_cancer_76p", 67, "cancer.org.au", 0, (317, 183, 377, 194)),
    ("embedded_tagged_math_1p", 0, "satisfy", 0, (260, 297, 286, 307)),
    ("type3_essay_1p", 0, "signifier", 0, (443, 464, 477, 476)),
    ("type3_essay_1p", 0, "Ideology", 0, (244, 165, 303, 180)),
    ("type3_essay_1p", 0, "Avram", 0, (274, 197, 308, 208)),
    ("large_welllog_1p", 0, "Quaternary", 0, (48, 232, 104, 248)),
    ("form_widgets_filled_1p", 0, "Griechenland", 0, (202, 189, 267, 204)),
    ("form_widgets_filled_1p", 0, "Frankfurt", 0, (202, 160, 246, 176)),
    ("legal_federalregister_threecol_15p", 1, "Hatta International Airport", 0, (45, 60, 215, 209)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "index", "word", "nth", "box"), WORDS)
def test_a_word_is_where_it_is_drawn(corpus, name, index, word, nth, box):
    page = corpus.page(name, index)
    if word not in page_text(page):
        pytest.fail(f"{word!r} is not on the page")
    found = word_box(page, word, nth)
    if name.startswith("legal_federal"):
        assert box[0] - 1 <= found[0] and found[1] >= box[1] - 1
        return
    assert_near(found, box)


# --- 3 to 5: hyphens, ligatures, doubles -------------------------------------------------------


def test_a_soft_hyphen_stays_at_a_line_end_only(corpus):
    pages = corpus.pages("softhyphen_philosophy_5p")
    lines = [line.rstrip() for page in pages for line in page_lines(page)]
    assert sum(line.endswith("\xad") for line in lines) == 22
    assert not any("\xad" in line[:-1] for line in lines)
    assert "pseudo-Avicenne" in page_text(pages[0])


def test_ligatures_are_letters(corpus):
    assert page_text(corpus.page("paper_health_shiftwork_ligatures_17p")).count("conflict") == 5
    text = page_text(corpus.page("tiny_ligatures_1p")).strip()
    assert text == "abcdeffffiflffifflststghijklmno"


def test_the_letters_of_a_ligature_share_its_width(corpus):
    page = corpus.page("tiny_ligatures_1p")
    widths = page.glyphs.end - page.glyphs.start
    assert widths[:31].min() > 1
    assert np.allclose(page.glyphs.x[1:31], page.glyphs.x[:30] + widths[:30], atol=0.1)


def test_glyphs_that_are_drawn_twice_count_once(corpus):
    page = corpus.page("enc_owneronly_fakebold_2p")
    text = page_text(page)
    assert text.count("Kruger") == 4
    assert [word_box(page, "Kruger", n)[1] for n in range(4)] == pytest.approx(
        [233, 380, 538, 563], abs=2
    )
    assert text.count("ALL SEASON TEST") == 1
    assert_near(word_box(page, "ALL SEASON TEST"), (473, 88, 556, 99))
    assert page.counts["double"] > 1_500


# --- 8 to 14: rotation, crop, direction --------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "index", "size"),
    [
        ("rotated90_table_nics_1p", 0, (612, 1008)),
        ("rotated180_table_uprighttext_1p", 0, (612, 792)),
        ("rotated270_crop_letter_1p", 0, (595, 842)),
        ("long_freeculture_352p", 0, (490, 734)),
        ("long_freeculture_352p", 1, (439, 432)),
        ("long_freeculture_352p", 2, (396, 594)),
        ("magazine_de_order_1p", 0, (595, 793)),
        ("crop_mboxorigin_voters_5p", 0, (792, 612)),
        ("tiny_ligatures_1p", 0, (143, 14)),
        ("huge_8400pt_scan_1p", 0, (8400, 8400)),
        ("annots_16types_rotated90_1p", 0, (842, 595)),
    ],
)
def test_a_page_has_the_size_that_is_shown(corpus, name, index, size):
    listed, page = corpus.info(name).pages[index], corpus.page(name, index)
    assert (listed.width, listed.height) == pytest.approx(size, abs=1)
    assert (page.width, page.height) == pytest.approx(size, abs=1)


def test_slanted_text_has_its_direction(corpus):
    runs = corpus.page("nonhoriz_327deg_1p").runs
    assert np.allclose(np.stack([runs.dx, runs.dy], axis=1), (0.839, 0.545), atol=0.001)


def test_lines_keep_their_directions_on_a_mixed_page(corpus):
    runs = corpus.page("crop_mboxorigin_voters_5p").runs
    _, first = np.unique(runs.line, return_index=True)
    directions = Counter(zip(runs.dx[first].round(2), runs.dy[first].round(2), strict=True))
    assert directions[0, -1] == 19


def test_the_text_of_eight_turned_pages_is_equal(corpus):
    texts = {page_text(page) for page in corpus.pages("damaged_repaired_mixedpages_8p")}
    assert len(texts) == 1


def test_text_that_the_page_does_not_show_is_left_out_and_counted(corpus):
    page = corpus.page("magazine_de_order_1p")
    assert page.counts["outside"] > 50
    assert corpus.page("long_freeculture_352p", 30).counts["outside"] > 50


# --- 16 and 17: other scripts ------------------------------------------------------------------


def test_vertical_text_is_marked_and_runs_downwards(corpus):
    runs = corpus.page("cjk_ja_vertical_1p").runs
    assert ((runs.flags & VERTICAL) != 0).all()
    assert np.allclose(runs.dy, 1)


def test_lam_alef_is_in_the_order_in_which_it_is_written(corpus):
    text = page_text(corpus.page("rtl_arabic_1p"))
    assert text.count("الإنتاجية") == 3
    assert text.count("اإلنتاجية") == 0


# --- 19 to 26: what cannot be read -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        (
            "scan_imageonly_2p",
            "no_text",
            "No text on 2 of 2 pages (images only). Chunks need text; use OCR before.",
        ),
        ("slow_jbig2_1p", "no_text", "No text on 1 of 1 page (images only)"),
        ("huge_8400pt_scan_1p", "no_text", "No text on 1 of 1 page (images only)"),
        ("ocr_invisible_backus_1p", "ocr", "Text comes from OCR"),
        ("ocr_rotated270_1p", "ocr", "Text comes from OCR"),
        (
            "damaged_truncated70_diesel_23p",
            "repaired",
            "The file is damaged and was repaired; pages 12–23 are empty",
        ),
        ("damaged_repaired_mixedpages_8p", "repaired", "The file is damaged and was repaired"),
        ("textlayer_differs_zerowidth_1p", "zero_width", "Text layer and picture may differ"),
        ("annots_16types_rotated90_1p", "annotation", "drawn by annotations"),
        ("ctrlchars_tamreview_23p", "unreadable", "without a character map"),
        ("pua_cmap_1p", "private", "Private-use characters"),
        ("rtl_arabic_1p", "right_to_left", "right to left"),
        ("rtl_hebrew_1p", "right_to_left", "right to left"),
        ("pagetree_loop_2p", "page_failed", "Page 2 cannot be read: cycle in page tree"),
    ],
)
def test_the_user_is_told(corpus, name, kind, message):
    told = [each for each in collect_notices(corpus.pages(name)) if each.kind == kind]
    assert len(told) == 1
    assert message in told[0].message


def test_a_sound_file_raises_no_notice(corpus):
    for name in ("paper_twocol_tracemonkey_annotated_14p", "blank_4of6_pages", "legal_gdpr_261p"):
        assert collect_notices(corpus.pages(name)) == ()


def test_pages_without_a_character_map_are_marked_one_by_one(corpus):
    pages = corpus.pages("ctrlchars_tamreview_23p")
    garbled = [page.index for page in pages if any(n.kind == "garbled" for n in page.notices)]
    assert garbled == list(range(1, 22))
    assert all((page.glyphs.codes >= 0x20).all() for page in pages)


def test_a_truncated_file_keeps_the_text_of_its_whole_pages(corpus):
    whole = [page_text(page) for page in corpus.pages("manual_diesel_rules_twocol_23p")]
    cut = [page_text(page) for page in corpus.pages("damaged_truncated70_diesel_23p")]
    assert cut == whole[:11] + [""] * 12


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("damaged_truncated60_naacl06_0p", "This file has no pages that can be read."),
        ("unopenable_poppler85140", "unopenable_poppler85140.pdf cannot be opened"),
        ("pagecount_raises_poppler67295", "Invalid number of pages"),
    ],
)
def test_a_file_without_pages_is_refused_plainly(shared, name, message):
    path = shared / "corpus" / f"{name}.pdf"
    with PdfClient(path) as client, pytest.raises(DocumentError) as caught:
        client.open()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("password", ["userpass", "ownerpass"])
def test_a_locked_file_opens_with_either_password(shared, password):
    with PdfClient(shared / "corpus" / "enc_user_health_1p.pdf") as client:
        with pytest.raises(PasswordError):
            client.open()
        with pytest.raises(PasswordError, match="wrong"):
            client.open("wrong")
        assert client.open(password).needs_password
        assert "Kerala" in page_text(client.raw_page(0))


def test_an_owner_password_only_does_not_stop_reading(corpus):
    info = corpus.info("enc_owneronly_fakebold_2p")
    assert (info.needs_password, info.may_copy, info.may_print) == (False, False, True)
    assert [notice.kind for notice in info.notices] == ["copying"]


def test_a_loop_in_the_page_tree_costs_only_the_page(corpus):
    pages = corpus.pages("pagetree_loop_2p")
    assert page_text(pages[0]).strip() == "Testcase: ’Pages loop’"
    assert pages[1].error == "cycle in page tree"
    assert corpus.info("pagetree_loop_2p").pages[1].error == "cycle in page tree"


def test_blank_pages_are_not_the_same_as_empty_ones(corpus):
    pages = corpus.pages("blank_4of6_pages")
    assert [page_text(page).strip() for page in pages] == ["", "", "TEST", "", "", "TEST"]
    assert [bool(len(page.drawings)) for page in pages][:2] == [True, False]


# --- 27 to 33: characters ----------------------------------------------------------------------


def test_annotations_are_values_and_not_text(corpus):
    client = corpus.client("paper_twocol_tracemonkey_annotated_14p")
    found: list[Annotation] = [a for index in range(14) for a in client.annotations(index)]
    kinds = Counter(each.kind for each in found if each.kind != "Link")
    assert kinds == {"Highlight": 10, "Ink": 6, "Stamp": 2}
    assert any(
        each.kind == "Highlight" and np.allclose(each.box, (53, 458, 294, 558), atol=1)
        for each in client.annotations(0)
    )
    assert len(corpus.page("annots_16types_rotated90_1p").glyphs) == 0


def test_annotations_of_a_turned_page_are_in_the_display_frame(corpus):
    found = corpus.client("annots_16types_rotated90_1p").annotations(0)
    assert len(found) == 16
    stamps = [each.box for each in found if each.kind == "Stamp"]
    assert any(np.allclose(box, (653, 19, 782, 142), atol=1) for box in stamps)


def test_a_font_with_shifted_codes_is_mended(corpus):
    text = page_text(corpus.page("magazine_de_order_1p"))
    assert "Wissen aus erster Hand" in text
    assert "Die Redaktion von spektrumdirekt informiert" in text


def test_a_bell_after_a_bullet_goes(corpus):
    assert "•\u2002 Laboratory-based" in page_text(corpus.page("guideline_who_hcv_155p", 14))


def test_no_control_character_is_left_in_any_file(corpus, shared):
    for path in sorted((shared / "corpus").glob("*.pdf")):
        try:
            pages = corpus.pages(path.stem)
        except DocumentError:
            continue
        for page in pages:
            codes = page.glyphs.codes
            assert not ((codes < 0x20) | ((codes >= 0x7F) & (codes < 0xA0))).any(), path.name
            assert not ((codes >= 0xD800) & (codes < 0xE000)).any(), path.name


def test_leaders_without_a_map_become_one_space(corpus):
    page = corpus.page("guide_health_cancer_76p", 67)
    assert page.counts["leader"] == 454
    assert "\ufffd" not in page_text(page)


def test_private_characters_of_known_fonts_are_mapped_and_others_counted(corpus):
    page = corpus.page("pua_cmap_1p")
    left = int(((page.glyphs.codes >= 0xE000) & (page.glyphs.codes < 0xF900)).sum())
    assert left == page.counts["private"] < 54
    assert page_text(page).startswith("#เรียนเลขพี่นวย")


def test_characters_above_the_basic_plane_are_one_each(corpus):
    codes = corpus.page("typeset_astral_1p").glyphs.codes
    assert int((codes > 0xFFFF).sum()) == 23


def test_characters_without_width_go_and_the_rest_stays(corpus):
    page = corpus.page("textlayer_differs_zerowidth_1p")
    assert page.counts["zero_width"] == 31_214
    assert (page.glyphs.end - page.glyphs.start).min() >= 0.01


def test_codes_of_type3_fonts_are_ligatures_and_quotes(corpus):
    text = page_text(corpus.page("type3_essay_1p"))
    assert "signifier" in text
    assert "suffice" in text
    assert text.count("“") == 3


# --- 35 and 38: images, superscripts -----------------------------------------------------------


def test_marks_of_footnotes_are_superscripts(corpus):
    page = corpus.page("legal_federalregister_threecol_15p", 1)
    at = page_text(page).index("alert,5") + len("alert,")
    flags = page.runs.flags[page.glyphs.run]
    assert flags[at] & SUPERSCRIPT
    assert not flags[at - 1] & SUPERSCRIPT


# --- 40 to 44: outline, links, forms, attachments, tags ----------------------------------------


def test_a_circular_outline_is_read_at_once(corpus):
    assert len(corpus.info("outline_circular_2p").outline) <= 2


def test_a_large_outline_is_read_whole(corpus):
    outline = corpus.info("outline_1372_beyond_1p").outline
    assert Counter(item.level for item in outline) == {1: 3, 2: 20, 3: 373, 4: 976}
    assert outline[0].title == "Codex DAO"


def test_entries_that_lead_elsewhere_have_no_page(corpus):
    assert {item.page for item in corpus.info("magazine_de_order_1p").outline} == {None}
    outline = corpus.info("long_freeculture_352p").outline
    assert sum(item.page is None for item in outline) == 5
    assert next(item.page for item in outline if "PIRACY" in item.title.upper()) == 29


def test_links_are_resolved(corpus):
    client = corpus.client("paper_techreport_qwen2_26p")
    first: Link = client.links(0)[0]
    assert_near(tuple(round(side) for side in first.box), (310, 504, 316, 516))
    assert (first.page, first.name) == (0, "Hfootnote.1")
    chat = [link for link in client.links(2) if link.name == "cite.chatgpt"]
    assert chat[0].page == 23
    links = [link for index in range(26) for link in client.links(index)]
    assert sum(bool(link.uri) for link in links) == 22


def test_page_labels_are_decoded(corpus):
    pages = corpus.info("guideline_who_hcv_155p").pages
    assert [pages[index].label for index in (0, 1, 8, 24, 25, 30)] == [
        "C1",
        "i",
        "viii",
        "xxiv",
        "1",
        "6",
    ]


def test_values_that_a_form_does_not_draw_are_listed_but_no_text(corpus):
    fields = corpus.client("form_160f_filled_js_1p").form_fields(0)
    minus: FormField = next(each for each in fields if each.name.endswith("minus1"))
    assert (minus.value, minus.shown) == ("-1", False)
    assert_near(tuple(round(side) for side in minus.box), (76, 202, 146, 214))


def test_what_a_form_draws_is_text(corpus):
    text = page_text(corpus.page("form_widgets_filled_1p"))
    assert "Times-Roman" in text
    assert "Frankfurt" in text
    assert "Potsdam" not in text


def test_attachments_are_named(corpus):
    info = corpus.info("embedded_tagged_math_1p")
    assert info.attachments == tuple(f"mathml-{n}.xml" for n in range(1, 5))
    assert info.notices[0].message.startswith("4 attached files")


def test_eleven_files_have_tags(corpus, shared):
    tagged = set()
    for path in sorted((shared / "corpus").glob("*.pdf")):
        try:
            if corpus.info(path.stem).tagged:
                tagged.add(path.stem.split("_")[0] + "_" + path.stem.split("_")[1])
        except DocumentError:
            continue
    assert tagged == {
        "crop_mboxorigin", "embedded_tagged", "form_160f", "guide_health", "legal_gdpr",
        "manual_nist", "paper_twocol", "rtl_arabic", "rtl_hebrew", "table_warn",
        "textlayer_differs",
    }  # fmt: skip


def test_the_tags_give_the_roles_of_runs(corpus):
    runs = corpus.page("manual_nist_800-223_34p", 10).runs
    assert {"P", "H1"} & set(runs.tag) or {"P", "H2"} & set(runs.tag)
    assert corpus.info("manual_nist_800-223_34p").language == "EN-US"
