# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG, as text: no package, and the same bytes each time."""
import math
from xml.sax.saxutils import escape

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777", "#000000", "#ee8866"]
WIDTH, HEIGHT, LEFT, TOP = 560, 320, 60, 20


def number(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def frame(across, down, lines):
    """The beginning of a plot: the axes and their names. At the right is space for the names of the lines."""
    right = max(230, 20 + 7 * max(map(len, lines)))
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + right} {TOP + HEIGHT + 50}" '
            'font-family="sans-serif" font-size="12">',
            '<rect width="100%" height="100%" fill="white"/>',
            f'<path d="M{LEFT} {TOP}V{TOP + HEIGHT}H{LEFT + WIDTH}" fill="none" stroke="#999"/>',
            f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{escape(across)}</text>',
            f'<text x="14" y="{TOP + HEIGHT / 2}" text-anchor="middle" '
            f'transform="rotate(-90 14 {TOP + HEIGHT / 2})">{escape(down)}</text>']


def label(i, name):
    """The name of line i, in its colour."""
    return (f'<text x="{LEFT + WIDTH + 10}" y="{TOP + 15 + 18 * i}" fill="{COLOURS[i % len(COLOURS)]}">'
            f'{escape(name)}</text>')


def steps(path, lines, across, down, unit=1):
    """Writes a plot of step lines. `lines` is {name: [value at 0, unit, 2 * unit, ...]}; the names of the axes say what
    is shown and its unit."""
    most = max(max(values) for values in lines.values()) or 1
    length = max(len(values) for values in lines.values()) - 1 or 1
    x = lambda i: LEFT + WIDTH * i / length
    y = lambda value: TOP + HEIGHT * (1 - value / most)
    text = frame(across, down, lines)
    for part in (0, 0.5, 1):
        text.append(f'<text x="{LEFT - 6}" y="{y(most * part) + 4:.1f}" text-anchor="end">{number(most * part)}</text>')
        text.append(f'<text x="{x(length * part):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">'
                    f'{length * part * unit:.0f}</text>')
    for i, (name, values) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        line = f"M{x(0):.1f} {y(values[0]):.1f}" + "".join(f"H{x(k):.1f}V{y(value):.1f}"
                                                          for k, value in enumerate(values[1:], 1))
        text.append(f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        text.append(label(i, name))
    path.write_text("\n".join(text) + "\n</svg>\n")


def powers(path, lines, across, down):
    """Writes a plot with logarithmic axes. `lines` is {name: [(x, y), ...]}; all numbers are positive."""
    every = [point for points in lines.values() for point in points]
    (left, right), (low, high) = ((math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
                                  for values in zip(*every))
    x = lambda value: LEFT + WIDTH * (math.log10(value) - left) / max(right - left, 1)
    y = lambda value: TOP + HEIGHT * (1 - (math.log10(value) - low) / max(high - low, 1))
    text = frame(across, down, lines)
    for power in range(left, right + 1):
        text.append(f'<text x="{x(10 ** power):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">'
                    f'{10.0 ** power:,g}</text>')
    for power in range(low, high + 1):
        text.append(f'<text x="{LEFT - 6}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{10.0 ** power:,g}</text>')
        text.append(f'<path d="M{LEFT} {y(10 ** power):.1f}H{LEFT + WIDTH}" stroke="#ddd"/>')
    for i, (name, points) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        places = [f"{x(first):.1f} {y(second):.1f}" for first, second in points]
        text.append(f'<path d="M{"L".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        text += [f'<circle cx="{place.split()[0]}" cy="{place.split()[1]}" r="3" fill="{colour}"/>' for place in places]
        text.append(label(i, name))
    path.write_text("\n".join(text) + "\n</svg>\n")


def venn(path, names, sizes):
    """Writes a Venn diagram of three sets. `sizes` is what stats.regions returns."""
    centres = [(200 + 75 * math.cos(angle), 190 + 75 * math.sin(angle))
               for angle in (math.radians(210), math.radians(330), math.radians(90))]
    text = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" font-family="sans-serif" font-size="13">',
            '<rect width="100%" height="100%" fill="white"/>']
    for (cx, cy), colour in zip(centres, COLOURS):
        text.append(f'<circle cx="{cx:.0f}" cy="{cy:.0f}" r="110" fill="{colour}" fill-opacity="0.25" stroke="{colour}"/>')
    for (cx, cy), name, shift in zip(centres, names, (-125, -125, 130)):
        text.append(f'<text x="{cx:.0f}" y="{cy + shift:.0f}" text-anchor="middle">{escape(name)}</text>')
    for key, size in sorted(sizes.items()):
        inside = [centre for centre, member in zip(centres, key) if member]
        cx, cy = (sum(values) / len(inside) for values in zip(*inside))
        outward = {1: 1.55, 2: 1.75, 3: 1}[len(inside)]
        cx, cy = 200 + (cx - 200) * outward, 190 + (cy - 190) * outward
        text.append(f'<text x="{cx:.0f}" y="{cy + 5:.0f}" text-anchor="middle">{size}</text>')
    path.write_text("\n".join(text) + "\n</svg>\n")
