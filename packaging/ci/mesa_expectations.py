#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kept tests of a campaign as regression tests, with expectation files in the form of Mesa's CI.

    mesa_expectations.py write OUT PREFIX
        From the campaign in OUT: PREFIX-fails.txt (`refract/BUCKET/TEST,Crash`), PREFIX-flakes.txt (tests that did
        not fail in every run) and PREFIX-skips.txt (tests that hang or lose the device). The last two have regular
        expressions.
    mesa_expectations.py run OUT PREFIX --target NAME [--target-file PATH] [--refract PATH]
        Runs each test folder in OUT on the target, except skips, and compares with the expectations. Prints the
        differences: `UnexpectedPass` for a bug that is fixed, else the new result. A flake may do either. Exit code
        1 if there is a difference, 0 if there is none.

The names are the folders of the tests below OUT/buckets, so keep the folders with the files."""
import argparse
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

# By the verdict of a bucket: the result that deqp-runner would print.
RESULTS = {'crash': 'Crash', 'hang': 'Timeout', 'device_lost': 'Crash'}


def name_of(folder):
    return 'refract/' + str(folder).removeprefix('buckets/')


def write(out, prefix):
    store = sqlite3.connect(f'file:{out / "campaign.sqlite"}?mode=ro', uri=True)
    rows = store.execute('SELECT k.folder, b.verdict, k.runs, k.confirmed FROM kept k JOIN buckets b ON b.id = k.bucket'
                         ' WHERE b.own = 0 AND b.counted_only = 0 AND k.folder LIKE "buckets/%" ORDER BY k.folder')
    lines = {'fails': [], 'flakes': [], 'skips': []}
    for folder, verdict, runs, confirmed in rows:
        name = name_of(folder)
        if verdict in ('hang', 'device_lost'):
            lines['skips'].append(re.escape(name))
        elif confirmed < runs:
            lines['flakes'].append(re.escape(name))
        else:
            lines['fails'].append(f'{name},{RESULTS.get(verdict, "Fail")}')
    for kind, entries in lines.items():
        Path(f'{prefix}-{kind}.txt').write_text(''.join(entry + '\n' for entry in entries))
        print(f'{prefix}-{kind}.txt: {len(entries)} tests')
    return 0


def expectations(prefix, kind):
    """The lines of a file. Lines that begin with # are comments. A file that is not there is empty."""
    path = Path(f'{prefix}-{kind}.txt')
    text = path.read_text() if path.exists() else ''
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith('#')]


def result_of(folder, arguments):
    """Runs a test folder as `refract repeat` does: Pass, Crash, Timeout, Fail, or Missing if it cannot run."""
    command = [arguments.refract, 'repeat', str(folder), '--target', arguments.target, '--json']
    for path in arguments.target_file:
        command += ['--target-file', path]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 5):
        print(run.stderr.strip(), file=sys.stderr)
        return 'Missing'
    runs = json.loads(run.stdout)['runs']
    if any(one['original_fails'] for one in runs):
        return 'Missing'
    verdict = next((one['verdict'] for one in runs if one['verdict'] != 'ok'), 'ok')
    return 'Pass' if verdict == 'ok' else RESULTS.get(verdict, 'Fail')


def run_all(out, prefix, arguments):
    fails = dict(line.rsplit(',', 1) for line in expectations(prefix, 'fails'))
    flakes, skips = [[re.compile(line) for line in expectations(prefix, kind)] for kind in ('flakes', 'skips')]
    folders = sorted(path.parent for path in (out / 'buckets').rglob('test.json'))
    if not folders:
        sys.exit(f'{out}/buckets: no test folders')
    counts = {'Pass': 0, 'ExpectedFail': 0, 'Flake': 0, 'Skip': 0, 'different': 0}
    for folder in folders:
        name = name_of(folder.relative_to(out))
        if any(skip.fullmatch(name) for skip in skips):
            counts['Skip'] += 1
            continue
        result = result_of(folder, arguments)
        if result != 'Missing' and any(flake.fullmatch(name) for flake in flakes):
            counts['Flake'] += 1
        elif fails.get(name) == result:
            counts['ExpectedFail'] += 1
        elif result == 'Pass' and name not in fails:
            counts['Pass'] += 1
        else:
            counts['different'] += 1
            print(f'{name},{"UnexpectedPass" if result == "Pass" else result}')
    print(', '.join(f'{kind}: {count}' for kind, count in counts.items()))
    return 1 if counts['different'] else 0


def main():
    parser = argparse.ArgumentParser(description='Expectation files for the kept tests of a campaign.')
    parser.add_argument('action', choices=['write', 'run'])
    parser.add_argument('out', type=Path)
    parser.add_argument('prefix')
    parser.add_argument('--target')
    parser.add_argument('--target-file', action='append', default=[])
    parser.add_argument('--refract', default='refract')
    arguments = parser.parse_args()
    if arguments.action == 'write':
        return write(arguments.out, arguments.prefix)
    if not arguments.target:
        parser.error('run needs --target')
    return run_all(arguments.out, arguments.prefix, arguments)


if __name__ == '__main__':
    sys.exit(main())
