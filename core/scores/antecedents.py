# SPDX-License-Identifier: AGPL-3.0-or-later
"""Which mention a pronoun stands for: three rules, from the floor to the one that is shipped.

`closest` and `salient` are the baselines of `spec/metrics.md` 14.5. `ranked` weighs about forty
observations of a mention; its weights were fitted by `bench/fit_antecedents.py`, which also
measures it on documents that were left out.
"""

import bisect
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.scores.mentions import REFLEXIVE, SUBJECTS, Mention, Parsed, Pronoun

SENTENCES_BACK = 2  # of the baselines
FAR_SENTENCES_BACK = 5  # of `ranked`
CHAIN_SENTENCES_BACK = 12  # a mention that pronouns have kept alive
OBJECT_ROLES = frozenset(["dobj", "pobj", "dative", "attr"])
PERSON_NOUNS = frozenset(
    "person man woman child boy girl individual citizen subject doctor nurse patient parent mother "  # noqa: SIM905 - a list of words reads best as words
    "father author judge pupil student guest friend neighbour human".split()
)
PERSON_ENDINGS = ("er", "or", "an", "ist", "ant", "ent", "ee")
MORE_PERSON_NOUNS = PERSON_NOUNS | frozenset(
    "user people consumer worker employee employer expert scientist researcher teacher designer "  # noqa: SIM905 - likewise
    "developer owner member customer client stakeholder anyone everyone candidate applicant victim "
    "signatory provider operator officer controller processor adult driver".split()
)
THINGS_IN_ER = frozenset(
    "order number paper computer factor sector power matter manner layer parameter vector error "  # noqa: SIM905 - likewise
    "server behavior cluster chapter letter water center filter quarter mirror monitor classifier "
    "identifier primer indicator tier container offer answer error register buffer".split()
)
GROUPS = frozenset(
    "team public committee government staff family company group organization organisation party "  # noqa: SIM905 - likewise
    "authority community agency board council commission ministry department institution industry "
    "police majority minority population audience crew firm business union".split()
)
MASS_OR_PLURAL = frozenset(["data", "datum", "media", "criteria", "staff"])

# A hull that is short because the nearest of many likely mentions was taken makes RC too high, so
# length counts for a mention as much as keeps RC even on the documents of the fit.
LENGTH_WEIGHT = 0.75

WEIGHTS: Mapping[str, float] = {
    "apposition": 0.64,
    "bare": -0.48,
    "beside owner": 0.63,
    "between": -1.16,
    "both objects": 1.14,
    "both subjects": 1.58,
    "chain 0": 0.93,
    "chain 1": 1.21,
    "chain 2": 1.12,
    "chain of subject": 0.64,
    "chain of word": 0.12,
    "depth": -0.02,
    "dominates": -1.22,
    "dominates possessive": 0.81,
    "frequency": 0.25,
    "heading": -0.46,
    "heading between": -0.96,
    "it for person": -1.04,
    "joined": -1.23,
    "latest of noun": 1.29,
    "name": 0.60,
    "noun resolved": 0.27,
    "noun resolved as subject": -0.26,
    "number agrees": 0.09,
    "object": -0.20,
    "owned": -1.74,
    "paragraphs back": -1.17,
    "recent": 0.52,
    "root": -0.08,
    "sentences back 0": 2.22,
    "sentences back 1": 0.29,
    "sentences back 2": -0.65,
    "sentences back 3": -0.61,
    "sentences back 4": -0.89,
    "sentences back 5": -0.35,
    "subject": 1.07,
    "subject over possessive": 0.24,
    "subject over pronoun": -1.19,
    "they for one": -0.63,
    "they for organisation": -0.63,
    "they for person": 1.95,
    "this": 0.85,
    "tokens": 0.11,
    "words": 0.36,
}


@dataclass(frozen=True, slots=True)
class Link:
    """A pronoun with the mention that was chosen for it."""

    pronoun: Pronoun
    mention: Mention
    confidence: float  # nan: the rule has none


@dataclass(slots=True)
class Discourse:
    """What has been read so far: mentions by place, how often each noun occurred, links.

    Only what stands before a pronoun is looked at, so reading on never changes an earlier link.
    """

    mentions: list[Mention] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    frequencies: Counter[str] = field(default_factory=Counter)
    links: list[Link] = field(default_factory=list)
    counted: int = 0  # mentions in `frequencies`
    resolved: int = 0  # pronouns that a mention was looked for

    def before(self, pronoun: Pronoun, sentences: int) -> Sequence[Mention]:
        """Mentions that end before the pronoun begins, at most so many sentences back."""
        high = bisect.bisect_left(self.starts, pronoun.start)
        low = high
        while low and self.mentions[low - 1].sentence >= pronoun.sentence - sentences:
            low -= 1
        return [each for each in self.mentions[low:high] if each.end <= pronoun.start]

    def count_until(self, place: int) -> None:
        """Count the nouns of all mentions that begin before `place`."""
        while self.counted < len(self.starts) and self.starts[self.counted] < place:
            self.frequencies[self.mentions[self.counted].lemma] += 1
            self.counted += 1


Rule = Callable[[Pronoun, Discourse], Link | None]


def read_on(discourse: Discourse, parsed: Parsed, rule: Rule) -> None:
    """Choose a mention for each pronoun that is new in `parsed`, in turn."""
    fresh = parsed.mentions[len(discourse.mentions) :]
    discourse.mentions.extend(fresh)
    discourse.starts.extend(each.start for each in fresh)
    for pronoun in parsed.pronouns[discourse.resolved :]:
        discourse.count_until(pronoun.start)
        link = rule(pronoun, discourse)
        if link is not None:
            discourse.links.append(link)
    discourse.resolved = len(parsed.pronouns)


def closest(pronoun: Pronoun, discourse: Discourse) -> Link | None:
    """The compatible mention with the greatest start (`spec/metrics.md` 14.5)."""
    found = _compatible(pronoun, discourse)
    return Link(pronoun, found[-1], math.nan) if found else None


def salient(pronoun: Pronoun, discourse: Discourse) -> Link | None:
    """The compatible mention with the greatest salience, or that of an earlier pronoun."""
    found = _compatible(pronoun, discourse)
    if not found:
        return None

    def salience(each: Mention) -> float:
        return _salience(pronoun, each.sentence, each.last_token, each.role)

    best = max(found, key=lambda each: (salience(each), each.start))
    highest = salience(best)
    for link in discourse.links:
        earlier = link.pronoun
        if earlier.kind != pronoun.kind or pronoun.sentence - earlier.sentence > 1:
            continue
        if _is_object_of_subject(pronoun, earlier.role, earlier.verb):
            continue
        value = _salience(pronoun, earlier.sentence, earlier.token, earlier.role)
        value += 0.2 if earlier.role == "poss" else 0.0
        if value > highest:
            best, highest = link.mention, value
    return Link(pronoun, best, math.nan)


def ranked(pronoun: Pronoun, discourse: Discourse) -> Link | None:
    """The mention that its observations, weighed, make the likeliest; with its probability."""
    found = candidates(pronoun, discourse)
    if not found:
        return None
    scores = [
        sum(WEIGHTS.get(name, 0.0) * value for name, value in seen.items())
        for seen in observations(pronoun, found, discourse)
    ]
    greatest = max(scores)
    total = sum(math.exp(each - greatest) for each in scores)
    with_length = [
        value + LENGTH_WEIGHT * math.log1p(pronoun.start - mention.start)
        for value, mention in zip(scores, found, strict=True)
    ]
    best = with_length.index(max(with_length))
    return Link(pronoun, found[best], math.exp(scores[best] - greatest) / total)


RULES: Mapping[str, Rule] = {"closest": closest, "salient": salient, "ranked": ranked}


def _compatible(pronoun: Pronoun, discourse: Discourse) -> list[Mention]:
    """The mentions that the baselines allow (`spec/metrics.md` 14.4), by place."""
    return [
        mention
        for mention in discourse.before(pronoun, SENTENCES_BACK)
        if _agrees(mention, pronoun)
        and not _is_object_of_subject(pronoun, mention.role, mention.verb)
    ]


def _agrees(mention: Mention, pronoun: Pronoun) -> bool:
    if pronoun.kind == "person":
        return not mention.is_plural and (
            mention.label == "PERSON"
            or (
                not mention.label
                and (mention.lemma in PERSON_NOUNS or mention.lemma.endswith(PERSON_ENDINGS))
            )
        )
    if pronoun.kind == "it":
        return not mention.is_plural and mention.label != "PERSON"
    if pronoun.kind == "they":
        return mention.is_plural or mention.label in ("ORG", "NORP")
    return True


def _is_object_of_subject(pronoun: Pronoun, role: str, verb: int) -> bool:
    """A plain pronoun as object never stands for the subject of the same verb."""
    return (
        pronoun.word not in REFLEXIVE
        and pronoun.role in OBJECT_ROLES
        and role in SUBJECTS
        and verb == pronoun.verb
        and verb >= 0
    )


def _salience(pronoun: Pronoun, sentence: int, token: int, role: str) -> float:
    value = -0.6 * (pronoun.sentence - sentence) - 0.02 * min(20, pronoun.token - token)
    value += 0.8 if role in SUBJECTS else 0.3 if role in ("dobj", "ROOT", "conj", "attr") else 0.0
    return value + (0.3 if role in SUBJECTS and pronoun.role in SUBJECTS else 0.0)


def candidates(pronoun: Pronoun, discourse: Discourse) -> list[Mention]:
    """The mentions that `ranked` weighs, by place: near ones, and those of a chain of pronouns."""
    found = [
        mention
        for mention in discourse.before(pronoun, FAR_SENTENCES_BACK)
        if _may_agree(mention, pronoun)
        and not mention.token <= pronoun.token <= mention.last_token
        and not _is_object_of_subject(pronoun, mention.role, mention.verb)
    ]
    known = {id(mention) for mention in found}
    for link in discourse.links[-4:]:
        far = pronoun.sentence - link.mention.sentence
        if _continues(link, pronoun) and far <= CHAIN_SENTENCES_BACK:
            if id(link.mention) not in known:
                found.append(link.mention)
            known.add(id(link.mention))
    return sorted(found, key=lambda each: each.start)


def _continues(link: Link, pronoun: Pronoun) -> bool:
    """The link's pronoun is of the same class and at most two sentences back."""
    return link.pronoun.kind == pronoun.kind and pronoun.sentence - link.pronoun.sentence <= 2


def is_person(mention: Mention) -> bool:
    """A named person, or a noun for one."""
    return (
        mention.label == "PERSON"
        or mention.lemma in MORE_PERSON_NOUNS
        or (
            not mention.label
            and not mention.is_proper
            and mention.lemma not in THINGS_IN_ER
            and mention.lemma.endswith(("er", "or", "ist", "ant", "ee"))
        )
    )


def is_many(mention: Mention) -> bool:
    """Plural by form; names such as "Member States" are tagged as singular but end in s."""
    looks = mention.is_proper and mention.lemma.endswith("s") and not mention.lemma.endswith("ss")
    return mention.is_plural or looks


def _may_agree(mention: Mention, pronoun: Pronoun) -> bool:
    """Agreement as people write: "they" for one person, a team or each user; "it" for data."""
    if pronoun.kind == "person":
        return not mention.is_plural and is_person(mention)
    if pronoun.kind == "it":
        is_one = not mention.is_plural or mention.plural_by_conj or mention.lemma in MASS_OR_PLURAL
        return mention.label != "PERSON" and is_one
    if pronoun.kind == "they":
        return (
            is_many(mention)
            or mention.label in ("ORG", "NORP")
            or is_person(mention)
            or mention.lemma in GROUPS
            or mention.lemma in MASS_OR_PLURAL
            or mention.determiner in ("each", "every", "any")
        )
    return True


def observations(
    pronoun: Pronoun, found: Sequence[Mention], discourse: Discourse
) -> list[dict[str, float]]:
    """What speaks for or against each candidate, by name; what is absent counts 0."""
    near = Counter(each.lemma for each in discourse.before(pronoun, FAR_SENTENCES_BACK))
    last_of = {each.lemma: index for index, each in enumerate(found)}
    seen = []
    for index, mention in enumerate(found):
        values = _of_place(mention, pronoun, len(found) - 1 - index)
        values |= _of_grammar(mention, pronoun)
        values |= _of_form(mention, pronoun)
        values |= _of_links(mention, pronoun, discourse.links)
        values["frequency"] = math.log1p(discourse.frequencies[mention.lemma])
        values["recent"] = math.log1p(max(0, near[mention.lemma] - 1))
        values["latest of noun"] = float(last_of[mention.lemma] == index)
        seen.append(values)
    return seen


def _of_place(mention: Mention, pronoun: Pronoun, between: int) -> dict[str, float]:
    back = min(pronoun.sentence - mention.sentence, FAR_SENTENCES_BACK)
    return {
        f"sentences back {back}": 1.0,
        "tokens": math.log1p(max(0, pronoun.token - mention.last_token - 1)),
        "between": math.log1p(between),
        "heading": float(mention.is_heading),
        "paragraphs back": math.log1p(pronoun.paragraph - mention.paragraph),
        "heading between": float(pronoun.headings > mention.headings),
    }


def _of_grammar(mention: Mention, pronoun: Pronoun) -> dict[str, float]:
    is_subject = mention.role in SUBJECTS
    is_possessive = pronoun.role == "poss"
    in_clause = (
        is_subject and mention.sentence == pronoun.sentence and mention.verb in pronoun.above
    )
    dominates = mention.token in pronoun.above
    return {
        "subject": float(is_subject),
        "object": float(mention.role == "dobj"),
        "joined": float(mention.role == "conj"),
        "root": float(mention.role in ("ROOT", "attr")),
        "apposition": float(mention.role == "appos"),
        "both subjects": float(is_subject and pronoun.role in SUBJECTS),
        "both objects": float(mention.role == "dobj" and pronoun.role in ("dobj", "pobj")),
        "subject over possessive": float(in_clause and is_possessive),
        "subject over pronoun": float(in_clause and not is_possessive),
        "dominates": float(dominates),
        "dominates possessive": float(dominates and is_possessive),
        "beside owner": float(is_possessive and mention.verb in pronoun.above[1:2]),
        "depth": min(mention.depth, 8) / 4,
    }


def _of_form(mention: Mention, pronoun: Pronoun) -> dict[str, float]:
    they, it = pronoun.kind == "they", pronoun.kind == "it"
    many = is_many(mention)
    return {
        "number agrees": float(many if they else not mention.is_plural),
        "they for one": float(they and not many),
        "they for person": float(they and is_person(mention)),
        "they for organisation": float(they and mention.label in ("ORG", "NORP")),
        "it for person": float(it and is_person(mention)),
        "name": float(mention.is_proper),
        "this": float(mention.determiner in ("this", "these", "that", "those")),
        "bare": float(not mention.determiner),
        "owned": float(mention.determiner in ("its", "their", "our", "his", "your")),
        "words": min(len(mention.words), 5) / 3,
    }


def _of_links(mention: Mention, pronoun: Pronoun, links: Sequence[Link]) -> dict[str, float]:
    values: dict[str, float] = {}
    for link in links[-4:]:
        earlier = link.pronoun
        back = pronoun.sentence - earlier.sentence
        if link.mention is not mention or not _continues(link, pronoun):
            continue
        if _is_object_of_subject(pronoun, earlier.role, earlier.verb):
            continue
        values[f"chain {back}"] = 1.0
        if earlier.role in SUBJECTS:
            values["chain of subject"] = 1.0
        if earlier.word == pronoun.word:
            values["chain of word"] = 1.0
    for link in links[-6:]:
        earlier = link.pronoun
        if pronoun.sentence - earlier.sentence > 1 or link.mention.lemma != mention.lemma:
            continue
        values["noun resolved"] = 1.0
        if earlier.kind == pronoun.kind and earlier.role in SUBJECTS:
            values["noun resolved as subject"] = 1.0
    return values
