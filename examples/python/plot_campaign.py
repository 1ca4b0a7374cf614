#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how the findings of a campaign grew, as an SVG file, and names the transformations of reduced findings.

    plot_campaign.py OUT FILE.svg

OUT is the folder of `refract campaign`. The curve comes from events.jsonl. The summaries of the transformations come
from the library. It needs the package `refract` of python/ and nothing else.
"""
import collections
import html
import json
import sys
from pathlib import Path

import refract

WIDTH, HEIGHT, MARGIN = 720, 320, 48
STAGES = ['#1b6ca8', '#c0392b', '#2e7d32', '#8e44ad', '#b7791f', '#455a64']


def curve(events, stage):
    """(seconds, number of buckets of a stage so far)."""
    times = sorted(event['at'] for event in events if event['event'] == 'bucket' and event['stage'] == stage)
    return [(0, 0)] + [(at, number) for number, at in enumerate(times, 1)]


def svg(events, title):
    """The curves of all stages as steps."""
    end = max([event['at'] for event in events] + [1])
    stages = sorted({event['stage'] for event in events if event['event'] == 'bucket'})
    curves = {stage: curve(events, stage) for stage in stages}
    most = max([points[-1][1] for points in curves.values()] + [1])

    def place(at, number):
        return (MARGIN + at / end * (WIDTH - 2 * MARGIN), HEIGHT - MARGIN - number / most * (HEIGHT - 2 * MARGIN))

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             'font-size="12">', f'<text x="{MARGIN}" y="20" font-size="15">{html.escape(title)}</text>',
             f'<path d="M{MARGIN} {MARGIN}V{HEIGHT - MARGIN}H{WIDTH - MARGIN}" fill="none" stroke="#888"/>',
             f'<text x="{MARGIN - 8}" y="{MARGIN + 4}" text-anchor="end">{most}</text>',
             f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - MARGIN + 18}" text-anchor="end">{end:.0f} s</text>']
    for index, (stage, points) in enumerate(curves.items()):
        colour = STAGES[index % len(STAGES)]
        path = 'M{:.1f} {:.1f}'.format(*place(0, 0))
        for at, number in points:
            path += 'H{:.1f}V{:.1f}'.format(*place(at, number))
        path += 'H{:.1f}'.format(place(end, 0)[0])
        lines += [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
                  f'<text x="{MARGIN + 12}" y="{MARGIN + 16 * (index + 1)}" fill="{colour}">'
                  f'{html.escape(stage)}: {points[-1][1]}</text>']
    return '\n'.join(lines + ['</svg>', ''])


def step_types(out):
    """How many test folders have each step type in their reduced recording."""
    types = collections.Counter()
    for file in Path(out).glob('buckets/**/test.json'):
        types.update(set(json.loads(file.read_text()).get('types', [])))
    return types


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out, file = sys.argv[1:]
    lines = (Path(out) / 'events.jsonl').read_text().splitlines()
    Path(file).write_text(svg([json.loads(line) for line in lines], f'Buckets of {Path(out).name}'))
    summaries = {one.name: one.summary for one in refract.transformations()}
    for name, count in step_types(out).most_common():
        print(f'{count:4}  {name}: {summaries[name]}')


if __name__ == '__main__':
    main()
