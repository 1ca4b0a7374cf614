#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the recipes of packaging/ci and the scripts of packaging/: YAML passes yamllint; each shell part passes `bash -n`
and shellcheck; verbs and options of `refract` are those of docs/cli.md; the version is that of the project. Runs
mesa_expectations.py on a small store.

    recipes_test.py SOURCE
"""
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)


def shell_parts(node, name=''):
    """The scripts in a recipe: `run` of GitHub, `script` of GitLab, `args` of a container with `sh -c`."""
    if isinstance(node, list):
        for number, one in enumerate(node):
            yield from shell_parts(one, f'{name}.{number}')
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == 'run' and isinstance(value, str):
                yield f'{name}.run', value
            elif key in ('script', 'before_script') or (key == 'args' and node.get('command') == ['sh', '-c']):
                yield f'{name}.{key}', '\n'.join(value)
            else:
                yield from shell_parts(value, f'{name}.{key}')


def documented_options(source):
    options = {}
    for line in (source / 'docs/cli.md').read_text().splitlines():
        if heading := re.fullmatch(r'## refract ?(.*)', line):
            command = options.setdefault(heading[1], {'--help', '--version'})
        elif option := re.match(r'      (-\S+)', line):
            command.update(option[1].split(','))
    return options


def check_calls(name, script, options):
    """Each call of refract: its verb and its options."""
    joined = re.sub(r'\\\n', ' ', script)
    calls = re.findall(r'(?:^|[&|;"]|run --rm \S*)\s*refract ([a-z][^\n;|&]*)', joined, re.M)
    for call in calls:
        words = call.split()
        expect(words[0] in options, f'{name}: refract has no verb {words[0]}')
        for word in words[1:]:
            option = word.split('=')[0]
            if re.match(r'--?[a-z]', option):
                expect(option in options.get(words[0], ()), f'{name}: refract {words[0]} has no {option}')
    return len(calls)


def check_yaml(folder):
    if not shutil.which('yamllint'):
        print('yamllint is not on this machine')
        return
    rules = '{extends: default, rules: {line-length: {max: 120}, document-start: disable, truthy: {check-keys: false}}}'
    run = subprocess.run(['yamllint', '--strict', '-d', rules, folder], capture_output=True, text=True)
    expect(run.returncode == 0, f'yamllint: {run.stdout}')


def check_shell(scripts, work):
    """scripts: names and texts. A text without #! is for sh."""
    files = []
    for number, (name, text) in enumerate(scripts):
        path = work / f'{number:02}-{re.sub("[^A-Za-z0-9.-]", "-", name)}.sh'
        path.write_text(text if text.startswith('#!') else '#!/bin/sh\n# shellcheck disable=SC2016\n' + text + '\n')
        files.append(path)
        run = subprocess.run(['bash', '-n', path], capture_output=True, text=True)
        expect(run.returncode == 0, f'{name}: {run.stderr}')
    if not shutil.which('shellcheck'):
        print('shellcheck is not on this machine')
        return
    # SC1091, SC2154: what stage.sh gives to other scripts. SC2086: words that are split on purpose.
    run = subprocess.run(['shellcheck', '--severity=warning', '--exclude=SC1091,SC2154,SC2086,SC2034,SC2164', *files],
                         capture_output=True, text=True)
    expect(run.returncode == 0, f'shellcheck: {run.stdout}')


def check_mesa(source, work):
    """Four kept tests: a crash, a wrong image, a flake and a hang; then results that differ."""
    script = source / 'packaging/ci/mesa_expectations.py'
    out = work / 'out'
    tests = {'drv/crash-a/test-1': ('crash', 3, 3), 'drv/wrong/s+t/test-2': ('wrong_image', 3, 3),
             'drv/crash-b/test-3': ('crash', 3, 2), 'drv/hang/test-4': ('hang', 3, 3)}
    out.mkdir()
    store = sqlite3.connect(out / 'campaign.sqlite')
    store.execute('CREATE TABLE buckets (id INTEGER, verdict TEXT, own INTEGER, counted_only INTEGER)')
    store.execute('CREATE TABLE kept (bucket INTEGER, folder TEXT, runs INTEGER, confirmed INTEGER)')
    for number, (folder, (verdict, runs, confirmed)) in enumerate(tests.items()):
        store.execute('INSERT INTO buckets VALUES (?, ?, 0, 0)', (number, verdict))
        store.execute('INSERT INTO kept VALUES (?, ?, ?, ?)', (number, f'buckets/{folder}', runs, confirmed))
        (out / 'buckets' / folder).mkdir(parents=True)
        (out / 'buckets' / folder / 'test.json').write_text(verdict)
    store.commit()
    # A stand-in for `refract repeat FOLDER ...`: the failure of the folder, or what the file `now` in it says.
    fake = work / 'refract'
    fake.write_text('#!/bin/sh\nverdict=$(cat "$2/now" 2> /dev/null || cat "$2/test.json")\n'
                    'echo "{\\"runs\\": [{\\"verdict\\": \\"$verdict\\", \\"original_fails\\": \\"\\"}]}"\n')
    fake.chmod(0o755)

    def mesa(*arguments):
        run = subprocess.run([sys.executable, '-B', script, *arguments], capture_output=True, text=True)
        return run.returncode, run.stdout

    prefix = work / 'drv'
    expect(mesa('write', out, prefix)[0] == 0, 'mesa_expectations.py write failed')
    files = {kind: Path(f'{prefix}-{kind}.txt').read_text() for kind in ('fails', 'flakes', 'skips')}
    expect(files['fails'] == 'refract/drv/crash-a/test-1,Crash\nrefract/drv/wrong/s+t/test-2,Fail\n', f'fails: {files}')
    expect(files['flakes'] == 'refract/drv/crash\\-b/test\\-3\n' and files['skips'] == 'refract/drv/hang/test\\-4\n',
           f'flakes, skips: {files}')
    run = ('run', out, prefix, '--target', 'drv', '--refract', fake)
    expect(mesa(*run) == (0, 'Pass: 0, ExpectedFail: 2, Flake: 1, Skip: 1, different: 0\n'), f'mesa: {mesa(*run)}')
    (out / 'buckets/drv/crash-a/test-1/now').write_text('ok')
    (out / 'buckets/drv/wrong/s+t/test-2/now').write_text('crash')
    code, text = mesa(*run)
    expect(code == 1 and text.startswith('refract/drv/crash-a/test-1,UnexpectedPass\n'
                                         'refract/drv/wrong/s+t/test-2,Crash\n'), f'mesa: {code} {text}')


def main():
    source = Path(sys.argv[1]).resolve()
    recipes = source / 'packaging/ci'
    version = re.search(r'^#define REFRACT_VERSION "(.*)"', (source / 'include/refract/refract.h').read_text(), re.M)
    options = documented_options(source)
    scripts, calls = [], 0
    check_yaml(recipes)
    for path in sorted([*recipes.rglob('*.yml'), *recipes.rglob('*.yaml')]):
        documents = list(yaml.safe_load_all(path.read_text()))
        expect(all(isinstance(document, dict) for document in documents), f'{path.name}: not a map')
        for document in documents:
            for name, text in shell_parts(document, path.name):
                expect('${{' not in text, f'{name}: an expression in a script; use env')
                scripts.append((name, text))
        for used in re.findall(r'REFRACT_VERSION: (\S+)', path.read_text()):
            expect(version and used == version[1], f'{path.name}: version {used}')
    expect(len(scripts) >= 14, f'only {len(scripts)} scripts were found in the recipes')
    for path in sorted([*(source / 'packaging').rglob('*.sh'), source / 'tools/slurm/campaign.sbatch']):
        scripts.append((path.name, path.read_text()))
    dockerfile = (recipes / 'oss-fuzz/Dockerfile').read_text()
    scripts.append(('Dockerfile', re.sub(r'^(?!RUN ).*\n', '', re.sub(r'\\\n', ' ', dockerfile), flags=re.M)
                    .replace('RUN ', '')))
    for name, text in scripts:
        calls += check_calls(name, text, options)
    expect(calls >= 8, f'only {calls} calls of refract were found')
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        check_shell(scripts, work)
        check_mesa(source, work)
    for failure in failures:
        print(f'FAILED: {failure}')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
