"""What treatments make of several kinds of work: each by itself, in a mix, and over repetitions with other machines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sectax.model.advice import Kind, Mixed, Pooled, ProfileOf
from sectax.model.advice_rules import Group, Profile
from sectax.model.analysed import Analysed
from sectax.model.errors import WrongUse
from sectax.model.finding import GEOMETRIC, NO_CLAIM, Effect, Estimate, Finding
from sectax.model.measured import Measured
from sectax.model.treatment import CONTROLS, Comparison
from sectax.stats.student import geometric_mean_interval
from sectax.text.near import did_you_mean

_Levels = tuple[tuple[str, str], ...]
_Ratios = Mapping[int, float]  # block -> the treatment's time over its baseline's


@dataclass(frozen=True)
class _Piece:
    """One level of the profile's factor, as one treatment was measured in it."""

    finding: Finding
    ratios: _Ratios


def profiles(analysed: Analysed, rule: Profile, metric: str) -> tuple[ProfileOf, ...]:
    """Of every treatment, the findings about every kind of work.

    Args:
        metric: the one in question, in seconds.
    """
    return tuple(_profile(levels, pieces, rule) for levels, pieces in _pieces(analysed, rule, metric).items())


def _profile(levels: _Levels, pieces: Mapping[str, _Piece], rule: Profile) -> ProfileOf:
    kinds = []
    for group in rule.groups:
        found = tuple(pieces[level].finding for level in group.levels if level in pieces)
        if found:
            kinds.append(Kind(group.words, found))
    return ProfileOf(dict(levels), tuple(kinds))


def mixes(analysed: Analysed, rule: Profile, metric: str, shares: Mapping[str, float]) -> tuple[Mixed, ...]:
    """How much longer every treatment takes for work that is made of so much of each kind.

    The ratio is the sum of the shares times the ratios of their kinds; a kind with several levels counts with the
    geometric mean of theirs. Its ends are the same sum of the ends of their intervals: those hold together, and it is
    never known better than what it is made of.

    Args:
        shares: kind, or level, -> its share of the time that the work takes on the baseline; they add up to 1.
    Raises:
        WrongUse: a kind that there is none of, or that the run has not measured.
    """
    found = _pieces(analysed, rule, metric)
    measured = {level for pieces in found.values() for level in pieces}
    kinds = {name: _group(name, rule) for name in shares}
    for name, kind in kinds.items():
        if measured.isdisjoint(kind.levels):
            known = (group.name for group in rule.groups if not measured.isdisjoint(group.levels))
            raise WrongUse(f"this run has measured nothing of {name!r}", f"it has {', '.join(known)}")
    weights = [(kinds[name], share) for name, share in shares.items()]
    return tuple(_mixed(levels, pieces, weights) for levels, pieces in found.items())


def _mixed(levels: _Levels, pieces: Mapping[str, _Piece], weights: list[tuple[Group, float]]) -> Mixed:
    ends: list[float] = [0.0, 0.0, 0.0]
    parts: list[Effect] = []
    for kind, share in weights:
        of_kind = [pieces[level].finding for level in kind.levels if level in pieces]
        if not of_kind:
            return Mixed(dict(levels), None, f"{kind.name} was not measured")
        effects = []
        for finding in of_kind:
            if finding.verdict in NO_CLAIM or finding.effect is None or math.isinf(finding.effect.high):
                return Mixed(dict(levels), None, f"{finding.comparison.cell} was {finding.verdict.value}")
            effects.append(finding.effect)
        logs = [(effect.log_ratio, effect.low, effect.high) for effect in effects]
        ends = [end + share * math.exp(mean) for end, mean in zip(ends, np.mean(logs, axis=0), strict=True)]
        parts += effects
    point, low, high = ends
    level, method = min((effect.level, effect.method) for effect in parts)
    return Mixed(
        dict(levels), Estimate(point, low, high, level, method, min(effect.blocks for effect in parts), "ratio")
    )


def _group(name: str, rule: Profile) -> Group:
    group = next((group for group in rule.groups if group.name == name), None)
    if group is not None:
        return group
    known = {level for group in rule.groups for level in group.levels}
    if name in known:
        return Group(name, name, (name,))
    raise WrongUse(f"there is no kind of work {name!r}", did_you_mean(name, [group.name for group in rule.groups]))


def pooled(analysed: Analysed, rule: Profile, metric: str) -> Iterator[Pooled]:
    """What all repetitions say together of every level: each repetition is one value, its blocks' geometric mean.

    So the interval is about the kind of machine, not about the machines that were measured. Nothing where there are
    fewer than two repetitions, or where one of them has no verdict that stands.
    """
    together: dict[tuple[_Levels, str], list[float]] = {}
    lacking: set[tuple[_Levels, str]] = set()
    for levels, pieces in _pieces(analysed, rule, metric).items():
        own = tuple((name, level) for name, level in levels if name != rule.repeats)
        if len(own) == len(levels):
            return
        for piece, seen in pieces.items():
            if seen.finding.verdict in NO_CLAIM or not seen.ratios:
                lacking.add((own, piece))
            else:
                together.setdefault((own, piece), []).append(_geometric(list(seen.ratios.values())))
    for (own, piece), ratios in together.items():
        if len(ratios) > 1 and (own, piece) not in lacking:
            level = 1 - analysed.measured.plan.stopping.alpha
            of_all = geometric_mean_interval(ratios, level)
            estimate = Estimate(of_all.point, of_all.low, of_all.high, level, GEOMETRIC, of_all.count, "ratio")
            yield Pooled(dict(own), piece, estimate)


def _pieces(analysed: Analysed, rule: Profile, metric: str) -> dict[_Levels, dict[str, _Piece]]:
    """By treatment (the control's level, and that of the factor that repeats), what was found in every level."""
    plan = analysed.measured.plan
    found: dict[_Levels, dict[str, _Piece]] = {}
    for finding in analysed.findings:
        compared = finding.comparison
        levels = plan.treatment(compared.treatment).levels
        if compared.metric != metric or compared.standing in CONTROLS or rule.factor not in levels:
            continue
        if any(levels.get(name) == level for name, level in rule.left_out.items()):
            continue
        own = tuple((name, level) for name, level in levels.items() if name in (plan.control, rule.repeats))
        piece = _Piece(finding, _ratios(analysed.measured, compared))
        found.setdefault(own, {})[levels[rule.factor]] = piece
    return found


def _ratios(measured: Measured, compared: Comparison) -> _Ratios:
    values = measured.values.get(compared.metric, {})
    treatment, baseline = values.get(compared.treatment, {}), values.get(compared.baseline, {})
    return {
        block: treatment[block] / baseline[block]
        for block in measured.blocks
        if treatment.get(block, 0.0) > 0 and baseline.get(block, 0.0) > 0
    }


def _geometric(ratios: list[float]) -> float:
    return math.exp(float(np.mean(np.log(ratios))))
