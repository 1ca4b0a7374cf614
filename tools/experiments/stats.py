# SPDX-License-Identifier: Apache-2.0
"""Statistics of the experiments, without other packages."""
import math


def mann_whitney(a, b):
    """The two-sided p of the Mann-Whitney U test of two samples: the probability of a difference at least this large if
    both came from one distribution. Normal approximation with corrections for ties and continuity; 1 if all values are
    equal. Source: Mann and Whitney, 1947."""
    values = sorted([*a, *b])
    ranks, ties, at = {}, 0, 0
    while at < len(values):
        same = values.count(values[at])
        ranks[values[at]] = at + (same + 1) / 2
        ties += same ** 3 - same
        at += same
    n, m = len(a), len(b)
    u = sum(ranks[value] for value in a) - n * (n + 1) / 2
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    if variance == 0:
        return 1.0
    distance = max(abs(u - n * m / 2) - 0.5, 0)
    return math.erfc(distance / math.sqrt(2 * variance))


def regions(sets):
    """The sizes of the regions of a Venn diagram of three sets: {(in first, in second, in third): size}."""
    sizes = {}
    for item in set().union(*sets):
        key = tuple(item in one for one in sets)
        sizes[key] = sizes.get(key, 0) + 1
    return sizes
