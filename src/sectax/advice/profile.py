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
from sectax.model.finding import GEOMETRIC, NO_CLAIM, Estimate, Finding, is_decided
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
        metric: the one that is told, in seconds.
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

    The ratio of a block is the sum of the shares times the ratios of their kinds; a kind with several levels counts
    with the geometric mean of theirs.

    Args:
        shares: kind, or level, -> its share of the time that the work takes on the baseline; they add up to 1.
    Raises:
        WrongUse: a kind that there is none of, or that the run has not measured.
    """
    alpha = analysed.measured.plan.stopping.alpha
    return tuple(
        _mixed(levels, pieces, rule, shares, 1 - alpha) for levels, pieces in _pieces(analysed, rule, metric).items()
    )


def _mixed(
    levels: _Levels, pieces: Mapping[str, _Piece], rule: Profile, shares: Mapping[str, float], level: float
) -> Mixed:
    parts = []
    for name, share in shares.items():
        of_kind = [pieces[level] for level in _group(name, rule).levels if level in pieces]
        if not of_kind:
            known = (group.name for group in rule.groups if any(level in pieces for level in group.levels))
            raise WrongUse(f"this run has measured nothing of {name!r}", f"it has {', '.join(known)}")
        for piece in of_kind:
            if not is_decided(piece.finding):
                return Mixed(dict(levels), None, f"{piece.finding.comparison.cell} was {piece.finding.verdict.value}")
        parts.append((share, of_kind))
    blocks = sorted(set.intersection(*(set(piece.ratios) for _, of_kind in parts for piece in of_kind)))
    if not blocks:
        return Mixed(dict(levels), None, "no block has all of its parts")
    ratios = [
        sum(share * _geometric([piece.ratios[block] for piece in of_kind]) for share, of_kind in parts)
        for block in blocks
    ]
    return Mixed(dict(levels), _estimate(ratios, level))


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
            yield Pooled(dict(own), piece, _estimate(ratios, 1 - analysed.measured.plan.stopping.alpha))


def _estimate(ratios: list[float], level: float) -> Estimate:
    interval = geometric_mean_interval(ratios, level)
    return Estimate(interval.point, interval.low, interval.high, level, GEOMETRIC, interval.count, "ratio")


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
