"""Comparisons on several hosts: intervals, outliers and kinds of hosts.

Hosts have equal weights, since fast hosts make more blocks and would otherwise dominate. So the interval for similar
hosts is valid even if noise and number of blocks differ by host (Ibragimov and Müller 2010, 't-statistic based
correlation and heterogeneity robust inference').
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sectax.stats.confidence_sequence import Sequence, guarded_half_width, half_width
from sectax.stats.moments import Array, Counts
from sectax.stats.student import PointInterval, critical_value, repeated_critical_value

# Index of every block's host, shape (blocks,).
HostIndices = NDArray[np.int64]
# With fewer blocks the noise of a host is unknown.
LEAST_BLOCKS = 2
# With fewer hosts there are no claims about similar hosts.
LEAST_HOSTS = 5
# By number of hosts, the simulated 95 % quantile of F for the best split of normal hosts into two kinds; linear between
# entries, proportional above (method-notes.md).
_SPLIT_HOSTS = (5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200)
_SPLIT_F = (73.4, 57.7, 52.2, 50.2, 50.3, 50.9, 53.3, 58.5, 68.3, 88.7, 128.5, 228.8, 420.5)
# Minimum distance of kinds in standard errors; less may be chance, since the noisiest host is selected.
_BEYOND_NOISE = 4.0


@dataclass(frozen=True)
class HostSummaries:
    """Summaries of every host's blocks; arrays have shape (rows, hosts).

    Attributes:
        mean: of a host's differences.
        noise: variance of that mean; NaN with too few blocks.
    """

    count: Counts
    mean: Array
    noise: Array


def summarize_hosts(differences: Array, host: HostIndices) -> HostSummaries:
    """Summarize the blocks of every host.

    Args:
        differences: d_j, shape (rows, blocks); NaN if missing.
    """
    hosts = int(host.max(initial=-1)) + 1
    present = np.isfinite(differences)

    def totals(values: Array) -> Array:
        # By row and host, since an array of rows, hosts and blocks would take hundreds of megabytes.
        rows = [np.bincount(host, row, minlength=hosts) for row in np.where(present, values, 0.0)]
        return np.array(rows, dtype=np.float64).reshape(len(differences), hosts)

    count: Counts = totals(np.ones_like(differences)).astype(np.int64)
    mean = totals(differences) / np.maximum(count, 1)
    squares = totals((differences - mean[:, host]) ** 2)
    noise = squares / (np.maximum(count - 1, 1) * np.maximum(count, 1))
    return HostSummaries(count, np.where(count >= 1, mean, np.nan), np.where(count >= LEAST_BLOCKS, noise, np.nan))


def stratified_sequence(
    differences: Array,
    host: HostIndices,
    alpha: ArrayLike,
    *,
    first_look: int,
    last_look: int,
    reference: Array,
    least_spread: ArrayLike = 0.0,
    unseen: ArrayLike = 0.0,
    once: bool = False,
) -> Sequence:
    """The mean over the measured hosts after every block, stratified by host.

    Differences between hosts are not noise; each host has its own noise, with Welch-Satterthwaite degrees of freedom.
    Looks count only while every host with a block has `LEAST_BLOCKS`.

    Args:
        once: whether the number of blocks is independent of results, so that the last look is the only one.
    """
    rows, blocks = differences.shape
    number = np.isfinite(differences).cumsum(axis=1)
    differences = np.where(number <= last_look, differences, np.nan)
    running = _running(differences, host)
    floor = _running(np.where(np.isfinite(differences), reference, np.nan), host).deviation
    floor = np.maximum(floor, np.broadcast_to(np.asarray(least_spread, dtype=np.float64), (rows,))[:, None])
    spread = np.maximum(running.deviation, floor)
    level = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (rows,))[:, None]

    levels, which = np.unique(level, return_inverse=True)
    degrees = np.arange(blocks + 3)
    if once:
        widths = critical_value(degrees, levels[:, None])
    else:
        widths = repeated_critical_value(degrees, levels[:, None], first_look, last_look)
    # Linear interpolation between whole degrees is conservative.
    whole = np.floor(running.degrees).astype(np.int64)
    part = running.degrees - whole
    row = which.reshape(-1, 1)
    finite = whole >= 1
    at = np.where(finite, whole, 1)
    width = np.where(finite, (1 - part) * widths[row, at + 1] + part * widths[row, at + 2], np.inf)
    off = np.broadcast_to(np.asarray(unseen, dtype=np.float64), (rows,))[:, None]
    half = guarded_half_width(running.count, half_width(running.count, spread, width), off, level)
    half = np.where(running.ready & (running.count >= max(2, first_look)), half, np.inf)
    low, high = running.mean - half, running.mean + half
    # Looks before the last host joined estimate a different mean.
    same = running.hosts == running.hosts[:, -1:]
    return Sequence(
        count=running.count,
        mean=running.mean,
        spread=spread,
        floor=floor,
        low=low,
        high=high,
        agreed_low=np.maximum.accumulate(np.where(same, low, -np.inf), axis=1),
        agreed_high=np.minimum.accumulate(np.where(same, high, np.inf), axis=1),
    )


@dataclass(frozen=True)
class _Running:
    """State after every block; `deviation` is the standard error × √blocks."""

    count: Counts
    hosts: Counts
    mean: Array
    deviation: Array
    degrees: Array
    ready: NDArray[np.bool_]


def _running(values: Array, host: HostIndices) -> _Running:
    """The mean of hosts' means and its error, per block (Welford 1962)."""
    rows, blocks = values.shape
    present = np.isfinite(values)
    hosts = int(host.max(initial=-1)) + 1
    count, mean, square = (np.zeros((hosts, rows)) for _ in range(3))
    noise, second = np.zeros((hosts, rows)), np.zeros((hosts, rows))
    started, sure, spreads, total_mean, total_noise, total_second = (np.zeros(rows) for _ in range(6))
    out = np.zeros((5, blocks, rows))
    for column in range(blocks):
        which, present_here = host[column], present[:, column]
        n = count[which] + present_here
        value = np.where(present_here, values[:, column], mean[which])
        delta = value - mean[which]
        moved = delta / np.maximum(n, 1)
        total_mean = total_mean + moved
        mean[which] += moved
        squares = square[which] + delta * (value - mean[which])
        started = started + (present_here & (n == 1))
        sure = sure + (present_here & (n == LEAST_BLOCKS))
        spreads = spreads + ((squares > 0) & (square[which] == 0))
        squared_error = np.where(n >= LEAST_BLOCKS, squares / (np.maximum(n - 1, 1) * np.maximum(n, 1)), 0.0)
        of_degrees = squared_error**2 / np.maximum(n - 1, 1)
        total_noise = total_noise + (squared_error - noise[which])
        total_second = total_second + (of_degrees - second[which])
        count[which], square[which], noise[which], second[which] = n, squares, squared_error, of_degrees
        # Without spread, the remainder is rounding.
        error = np.where(spreads > 0, np.maximum(total_noise, 0.0), 0.0)
        out[0, column], out[1, column] = started, total_mean / np.maximum(started, 1)
        out[2, column] = error / np.maximum(started, 1) ** 2
        usable = (spreads > 0) & (total_second > 0)
        out[3, column] = np.where(usable, error**2 / np.where(usable, total_second, 1.0), 1.0)
        out[4, column] = (started == sure) & (started > 0)
    total = present.cumsum(axis=1)
    hosts_seen, means, errors, degrees, ready = out.transpose(0, 2, 1)
    return _Running(
        count=total,
        hosts=hosts_seen.astype(np.int64),
        mean=means,
        deviation=np.sqrt(errors * np.maximum(total, 1)),
        degrees=np.clip(degrees, 1.0, np.maximum(total - hosts_seen, 1)),
        ready=ready.astype(np.bool_),
    )


def own_half_widths(hosts: HostSummaries, alpha: float, unseen: float) -> Array:
    """Half-width of every host's own interval (Student's t over its blocks).

    Args:
        unseen: distance of an unseen mode (see `guarded_half_width`).
    """
    has_noise = (hosts.count >= LEAST_BLOCKS) & (hosts.noise > 0)
    plain = critical_value(hosts.count, alpha) * np.sqrt(np.where(has_noise, hosts.noise, 1.0))
    return np.where(has_noise, guarded_half_width(hosts.count, plain, unseen, alpha), np.inf)


def drop_late_hosts(differences: Array, host: HostIndices) -> Array:
    """Drop hosts that joined late: those with one block while most have three or more."""
    count = summarize_hosts(differences, host).count
    late = (count == 1) & ((count >= LEAST_BLOCKS + 1).sum(axis=1) > (count >= 1).sum(axis=1) / 2)[:, None]
    return np.where(late[:, host], np.nan, differences)


def population_mean(means: Array, alpha: float, unseen: float, least: float = 0.0) -> PointInterval:
    """The mean over the population of hosts: Student's t over hosts' means.

    Valid for unequal noise (Ibragimov and Müller 2010).

    Args:
        means: shape (hosts,).
        unseen: distance of a kind of hosts that was not sampled (see `guarded_half_width`).
        least: half-width for the measured hosts, as a lower bound.
    """
    point, count = float(means.mean()), means.size
    if count < LEAST_HOSTS:
        return PointInterval(point, None, None, count)
    plain = critical_value(count, alpha) * means.std(ddof=1) / np.sqrt(count)
    half = max(float(guarded_half_width(count, plain, unseen, alpha)), least)
    return PointInterval(point, point - half, point + half, count)


def between_host_deviation(hosts: HostSummaries, level: float) -> PointInterval:
    """The standard deviation τ between hosts without their blocks' noise.

    The interval of a normal sample's deviation, with degrees of freedom for unequal noise, including the uncertainty of
    the noise. It starts at 0 if noise alone may explain the differences.
    """
    from scipy.special import chdtri

    size = hosts.mean.size
    if size < 2:
        return PointInterval(0.0, None, None, size)
    between, within = float(hosts.mean.var(ddof=1)), float(hosts.noise.mean())
    total = max(between - within, 0.0) + hosts.noise
    tail = (1 - level) / 2
    if not between > 0:
        return PointInterval(0.0, None, None, size)
    degrees = max(1.0, (size - 1) / size * total.sum() ** 2 / (total**2).sum())
    second = float((hosts.noise**2 / (hosts.count - 1)).sum())
    of_noise = float(hosts.noise.sum() ** 2 / second) if second > 0 else 1.0

    def limit(variance: float, degrees: float, share: float) -> float:
        return variance * degrees / float(chdtri(degrees, share))

    low = limit(between, degrees, tail) - limit(within, of_noise, 1 - tail)
    high = limit(between, degrees, 1 - tail) - limit(within, of_noise, tail)
    point, low, high = (float(np.sqrt(max(variance, 0.0))) for variance in (between - within, low, high))
    return PointInterval(point, low, high, size)


def find_outlier(hosts: HostSummaries, alpha: float) -> int | None:
    """The index of an outlier among hosts, or None; arrays of shape (hosts,).

    Tests deleted residuals of a random-effects model (Viechtbauer and Cheung 2010) with the host's own noise at
    alpha ÷ hosts; with equal noise this is Grubbs' test. None below three hosts.
    """
    from scipy.special import stdtr

    mean, size = hosts.mean, hosts.mean.size
    if size < 3:
        return None
    # At least the mean noise: two blocks may agree by chance.
    noise = np.maximum(hosts.noise, hosts.noise.mean())
    mean_of_others = (mean.sum() - mean) / (size - 1)
    # Sum of squares of the other hosts around their own mean.
    squares = np.maximum(((mean - mean.mean()) ** 2).sum() - size / (size - 1) * (mean - mean.mean()) ** 2, 0.0)
    spread = squares / (size - 2) * size / (size - 1)
    variance = spread + noise
    if not bool(np.all(variance > 0)):
        return None
    degrees = variance**2 / (spread**2 / (size - 2) + noise**2 / np.maximum(hosts.count - 1, 1))
    # The spread between hosts never has more degrees of freedom than hosts allow.
    degrees = np.minimum(degrees, size - 2)
    chance = 2 * np.asarray(stdtr(degrees, -np.abs(mean - mean_of_others) / np.sqrt(variance)), dtype=np.float64)
    host = int(np.argmin(chance))
    return host if chance[host] * size <= alpha else None


def two_kinds(hosts: HostSummaries, least: float) -> NDArray[np.bool_] | None:
    """Which hosts are of the higher of two kinds; None if there may be only one kind.

    Compares the best split with the best split of normal hosts, at 5 %.

    Args:
        hosts: at least `LEAST_HOSTS`; arrays of shape (hosts,).
        least: minimum distance of two kinds.
    """
    means, size = hosts.mean, hosts.mean.size
    ordered = np.sort(means) - means.mean()
    low = np.arange(1, size)
    below = ordered.cumsum()[:-1]
    between = below**2 * size / (low * (size - low))
    best = int(between.argmax())
    higher: NDArray[np.bool_] = means > np.sort(means)[best]
    within = max(float((ordered**2).sum() - between[best]), 1e-12 * float(between[best]))
    limit = float(np.interp(size, _SPLIT_HOSTS, _SPLIT_F)) * max(1.0, size / _SPLIT_HOSTS[-1])
    if between[best] * (size - 2) <= limit * within or not _kinds_far_apart(hosts, higher.astype(np.int64), least):
        return None
    return higher


def kinds_differ(hosts: HostSummaries, kind: HostIndices, alpha: float, least: float) -> bool:
    """Whether hosts differ by kind: an F test, and at least *least* apart.

    Args:
        hosts: arrays of shape (hosts,).
        kind: index of every host's kind, same shape.
    """
    from scipy.special import fdtrc

    means, size, kinds = hosts.mean, hosts.mean.size, int(kind.max()) + 1
    if not 1 < kinds < size or not _kinds_far_apart(hosts, kind, least):
        return False
    count = np.bincount(kind)
    kind_means = np.bincount(kind, means) / count
    between = float((count * (kind_means - means.mean()) ** 2).sum())
    within = max(float(((means - kind_means[kind]) ** 2).sum()), 1e-12 * between)
    return float(fdtrc(kinds - 1, size - kinds, between / (kinds - 1) / (within / (size - kinds)))) <= alpha


def _kinds_far_apart(hosts: HostSummaries, kind: HostIndices, least: float) -> bool:
    """Whether the extreme kinds differ by *least* or more, beyond the noise."""
    count = np.bincount(kind)
    if not count.all():
        return False
    kind_means, noise = np.bincount(kind, hosts.mean) / count, np.bincount(kind, hosts.noise) / count**2
    high, low = int(kind_means.argmax()), int(kind_means.argmin())
    return float(kind_means[high] - kind_means[low]) >= max(
        least, _BEYOND_NOISE * float(np.sqrt(noise[high] + noise[low]))
    )


def unseen_share(hosts: int, alpha: float) -> float:
    """The largest share of a kind that a sample of *hosts* may miss at alpha."""
    return float(1 - alpha ** (1 / hosts))
