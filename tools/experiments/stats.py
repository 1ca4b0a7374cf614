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


def least_squares(rows, values):
    """The factors f for which the sums of row[i] * f[i] are nearest to the values, each relative to its value: the
    normal equations, solved by elimination. A factor that the rows do not determine is 0."""
    rows = [[number / value for number in row] for row, value in zip(rows, values)]
    size = len(rows[0])
    system = [[sum(row[i] * row[j] for row in rows) for j in range(size)] + [sum(row[i] for row in rows)]
              for i in range(size)]
    for i in range(size):
        best = max(range(i, size), key=lambda k: abs(system[k][i]))
        system[i], system[best] = system[best], system[i]
        if abs(system[i][i]) < 1e-12:
            system[i] = [0.0] * (size + 1)
            continue
        system[i] = [number / system[i][i] for number in system[i]]
        for k in range(size):
            if k != i:
                system[k] = [a - system[k][i] * b for a, b in zip(system[k], system[i])]
    return [row[size] for row in system]
