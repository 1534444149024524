# SPDX-License-Identifier: AGPL-3.0-or-later
"""Hostile texts: what a text can be at its worst, each by a name that says it.

`HOSTILE_TEXTS` may be shown to every function that takes a text. `LONG_TEXTS` are too long for
tests of quadratic plain forms; their tests are marked slow. `REFUSED_TEXTS` are not texts at
all: they must be refused at the door, with one clear message.
"""

SENTENCE = "The dose is halved in renal failure, and the level is taken after two days. "
PARAGRAPH = (
    "Store the vials at 2 to 8 °C. Do not freeze them! Has a vial been frozen? Then discard it; "
    "a thawed vial looks clear but has lost its strength.\n\n"
)
PROSE_CHARACTERS = 10_000_000

MARKDOWN = """# Title

Intro with `code`, **bold** and a [link](#a).

- one
  - nested
    1. numbered
- two

| drug | dose |
|------|-----:|
| a | 1 mg |
| b \\| c | 2 mg |

```python
# not a heading
if x:

    pass
```

~~~
``` not a fence
~~~

Last line without an end"""

HOSTILE_TEXTS: dict[str, str] = {
    "empty": "",
    "one space": " ",
    "only spaces": " " * 1_000,
    "only newlines": "\n" * 1_000,
    "one character": "a",
    "one newline": "\n",
    "one long word": "a" * 100_000,
    "no sentence end": "the patient walks and " * 500,
    "only sentence ends": ".!?" * 500,
    "spaced sentence ends": ". ! ? " * 300,
    "CRLF": "One line.\r\nTwo lines.\r\n\r\nA paragraph.\r\n" * 20,
    "lone CR": "One line.\rTwo lines.\r\rA paragraph.\r" * 20,
    "line and paragraph separators": "One.\u2028Two.\u2029Three.\u0085Four.\x0bFive.\x0cSix." * 20,
    "tabs": "a\tb\t\tc\n\td\t.\n" * 50,
    "non-breaking spaces": "10\u00a0mg of\u202fit.\u00a0\u00a0Then\u3000rest.\u2007 " * 50,
    "zero-width": "zero\u200bwidth\u200cjoin\u200der\u2060word\ufeff inside. " * 50,
    "byte order mark": "\ufeffA text that begins with a mark. It goes on.",
    "soft hyphens": "hyphen\u00adation of medi\u00adcation. " * 50,
    "combining marks": "e\u0301a\u0308o\u0302\u0323 n\u0303. Z"
    + "\u0300\u0323\u0334" * 30
    + "algo. " * 20,
    "leading combining mark": "\u0301starts with a mark. Then goes on.",
    "emoji": "\U0001f44d\U0001f3fd yes. \U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 flags. "
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 family. \u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 "
    * 20,
    "astral": "\U0001d504\U0001d505\U00020000\U0002a6d6 \U0001f9ec. " * 50,
    "right-to-left with numbers": "\u05d4\u05de\u05d9\u05e0\u05d5\u05df 25 \u05de\u05f4\u05d2 (2 x 12.5). "
    "\u0627\u0644\u062c\u0631\u0639\u0629 \u0662\u0665 \u0645\u0644\u063a\u061f \u202babc\u202c. "
    * 20,
    "Chinese and Japanese": "\u60a3\u8005\u5e94\u6bcf\u65e5\u670d\u836f\u4e24\u6b21\u3002"
    "\u6bce\u65e5\u4e8c\u56de\u3001\u98df\u5f8c\u306b\u98f2\u3080\u3002\u672c\u5f53\uff1f\uff01"
    * 20,
    "Thai": "\u0e1c\u0e39\u0e49\u0e1b\u0e48\u0e27\u0e22\u0e01\u0e34\u0e19\u0e22\u0e32\u0e27\u0e31\u0e19\u0e25\u0e30\u0e2a\u0e2d\u0e07\u0e04\u0e23\u0e31\u0e49\u0e07 "
    * 20,
    "Devanagari": "\u0930\u094b\u0917\u0940 \u0915\u094b \u0926\u0935\u093e \u0926\u0947\u0902\u0964 \u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f\u0964 "
    * 20,
    "Hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af \ud55c\uae00. " * 30,
    "NUL": "a\x00b. \x00\x00 C.\x00" * 20,
    "control characters": "a\x01b\x02. \x1b[31mred\x1b[0m \x7f. \x08" * 20,
    "replacement and private use": "\ufffd\ufffd text \ue000\uf8ff\U000f0000. " * 20,
    "noncharacters": "a\ufffe\uffff\U0010ffff. b\ufdd0. " * 20,
    "special tokens": "<|endoftext|>A.<|fim_prefix|> [CLS] b [SEP] <s> </s> [UNK] [PAD] <|im_start|>. "
    * 10,
    "markdown": MARKDOWN,
    "unclosed fence": "Text.\n\n```\n# inside\n\nmore\n\n" * 10,
    "deeply nested list": "".join("  " * depth + f"- level {depth}\n" for depth in range(100)),
    "deep headings": "".join("#" * depth + f" H{depth}\n\nText.\n\n" for depth in range(1, 9)),
    "table without text": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 200,
    "abbreviations": "Dr. Smith et al. (2019, p. 3) gave 2.5 mg i.v. at 10 a.m. vs. 3 mg. No. 7 was e.g. i.e. etc. "
    * 10,
    "quotes and brackets": "\u201cStop!\u201d she said. (He did.) \u00abNon.\u00bb \u2018Yes.\u2019 [1] Then\u2026 on. "
    * 20,
    "same paragraph a thousand times": PARAGRAPH * 1_000,
    "format strings": "%s {0} {x!r} %(a)d \\n $HOME `id` '; DROP TABLE chunks; -- " * 10,
    "html": "<script>alert(1)</script><b>bold</b> &amp; &lt;p&gt; <!-- no --> " * 10,
}

LONG_TEXTS: dict[str, str] = {
    "10 MB of prose": (SENTENCE * 12 + "\n\n") * (PROSE_CHARACTERS // (12 * len(SENTENCE) + 2)),
}

REFUSED_TEXTS: dict[str, str] = {
    "lone high surrogate": "a\ud800b",
    "lone low surrogate": "a\udc00b",
    "reversed pair": "a\udc00\ud800b",
    "undecodable byte": b"a\xffb".decode("utf-8", "surrogateescape"),
}
