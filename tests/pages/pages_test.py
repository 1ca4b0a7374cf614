#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the man pages and the completions: they have every verb and option of docs/cli.md, which has the output of
--help-all; roff gives no warnings; the shells complete. Then installs the program in a folder and uninstalls it.
Shells and roff programs that are not on this machine are named and not tested.

    pages_test.py BUILD SOURCE CMAKE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BASH = [
    # The completed words, in any order, and the line: its last word is completed.
    ('flesh fuzz', 'refract f'),
    ('check', 'refract cfg ch'),
    ('count', 'refract --quiet cfg co'),
    ('--max-size --max-steps', 'refract fuzz --max-'),
    ('halving', 'refract reduce a.spv --algorithm h'),
    ('bisect counter halving', 'refract reduce --algorithm ='),
    ('halving', 'refract reduce --algorithm = h'),
    ('a.spv', 'refract fuzz a'),
    ('fuzz', 'refract replay fu'),
    ('folder', 'refract reduce --folder '),
    ('', 'refract fuzz --seed '),
    ('a.spv folder fuzz', 'refract fuzz a.spv --quiet '),
    ('--table --target-env', 'refract cfg check --ta'),
    ('status', 'refract campaign st'),
]
FISH = [('flesh fuzz', 'refract f'), ('--table --target-env', 'refract cfg check --ta'),
        ('halving', 'refract reduce --algorithm h'), ('enumerate', 'refract cfg e')]
ZSH = [('refract cfg enumerate', 'refract cfg enu'), ('refract generate --count', 'refract generate --coun'),
       ('refract reduce --algorithm halving', 'refract reduce --algorithm halv')]
INSTALLED = ['bin/refract', 'share/man/man1/refract-cfg-check.1', 'share/refract/references/column_sort.frag',
             'share/bash-completion/completions/refract', 'share/zsh/site-functions/_refract',
             'share/fish/vendor_completions.d/refract.fish']

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)


def output_of(*command, **options):
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **options)
    return run.stdout + run.stderr


def documented_options(source):
    """The options of each command: {'cfg check': ['--table', ...]}."""
    options = {}
    for line in (source / 'docs/cli.md').read_text().splitlines():
        if heading := re.fullmatch(r'## refract ?(.*)', line):
            command = options.setdefault(heading[1], [])
        elif option := re.match(r'      (-\S+)', line):
            command += option[1].split(',')
    return options


def check_completeness(pages, source):
    bash, zsh, fish = [(pages / name).read_text() for name in ('refract', '_refract', 'refract.fish')]
    commands = documented_options(source)
    files = {path.name for path in (pages / 'man1').iterdir()}
    expected = {'-'.join(['refract'] + command.split()) + '.1' for command in commands}
    expect(files == expected, f'man pages: {files ^ expected} are missing or too many')
    for command, options in commands.items():
        name = '-'.join(['refract'] + command.split())
        page = (pages / 'man1' / f'{name}.1').read_text().replace('\\', '')
        words = re.search(rf"^ *'{command}'\) options='(.*?)'", bash, re.M)[1].split()
        function = re.search(rf"^_{name.replace('-', '_')}\(\) {{\n(.*?)^}}", zsh, re.M | re.S)[1]
        lines = '\n'.join(line for line in fish.splitlines() if f"__refract_is \\'{command}\\''" in line) + '\n'
        expect(set(words) == set(options), f'bash: {command}: {set(words) ^ set(options)}')
        for option in options:
            flag = (' -l ' if option.startswith('--') else ' -s ') + option.lstrip('-') + ' '
            expect(f'fB{option}fR' in page, f'{name}.1 has no {option}')
            expect(re.search(rf"[',{{*)]{option}[,}}[]", function), f'zsh: {command} has no {option}')
            expect(flag in lines, f'fish: {command} has no {option}')


def check_roff(pages):
    sources = sorted((pages / 'man1').iterdir())
    text = ''.join(path.read_text() for path in sources)
    if shutil.which('groff'):
        warnings = output_of('groff', '-man', '-Tutf8', '-ww', '-z', input=text)
        expect(not warnings, f'groff: {warnings}')
    else:
        print('groff is not on this machine')
    if shutil.which('mandoc'):
        warnings = output_of('mandoc', '-T', 'lint', '-W', 'warning', *sources).splitlines()
        # The pages have no date, so that the same source gives the same bytes.
        warnings = [line for line in warnings if 'missing date' not in line]
        expect(not warnings, f'mandoc: {warnings}')
    else:
        print('mandoc is not on this machine')


def check_bash(pages, work):
    script = f"source {pages}/refract; complete -p refract\n"
    for _, line in BASH:
        words = line.split(' ')
        quoted = ' '.join(f"'{word}'" for word in words)
        script += (f'COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1} COMPREPLY=(); _refract\n'
                   'printf "%s\\n" "${COMPREPLY[@]}" | LC_ALL=C sort | xargs\n')
    lines = output_of('bash', '-c', script, cwd=work).splitlines()
    expect(lines and lines[0] == 'complete -F _refract refract', f'bash: {lines[:1]}')
    for (expected, line), actual in zip(BASH, lines[1:], strict=True):
        expect(actual == expected, f"bash completes '{line}' to '{actual}', not to '{expected}'")


def check_fish(pages, work):
    script = f'source {pages}/refract.fish\n'
    script += ''.join(f"echo (complete -C '{line}' | cut -f 1)\n" for _, line in FISH)
    lines = output_of('fish', '-c', script, cwd=work, env=os.environ | {'HOME': str(work)}).splitlines()
    for (expected, line), actual in zip(FISH, lines, strict=True):
        expect(actual == expected, f"fish completes '{line}' to '{actual}', not to '{expected}'")


def check_zsh(pages, source):
    syntax = output_of('zsh', '-n', pages / '_refract')
    expect(not syntax, f'zsh: {syntax}')
    lines = output_of('zsh', '-f', source / 'tests/pages/zsh_complete.zsh', pages,
                      *[line for _, line in ZSH]).splitlines()
    lines = [line.rstrip() for line in lines]  # zsh appends a space to a whole word
    expect(lines == [expected for expected, _ in ZSH], f'zsh completes to {lines}')


def check_installation(build, source, cmake, work):
    root = work / 'root'
    environment = os.environ | {'DESTDIR': str(root)}
    log = output_of(cmake, '--install', build, '--component', 'program', '--prefix', '/usr', env=environment)
    for name in INSTALLED:
        expect((root / 'usr' / name).exists(), f'{name} is not installed: {log[-500:]}')
    manifest = work / 'manifest.txt'
    shutil.move(build / 'install_manifest_program.txt', manifest)
    log = output_of(cmake, '-D', f'MANIFEST={manifest}', '-P', source / 'cmake/uninstall.cmake', env=environment)
    rest = [path for path in root.rglob('*') if not path.is_dir() or 'refract' in path.name]
    expect(not rest, f'uninstall leaves {rest}: {log[-500:]}')


def main():
    build, source = [Path(argument).resolve() for argument in sys.argv[1:3]]
    pages = build / 'pages'
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        files = work / 'files'
        (files / 'folder').mkdir(parents=True)
        (files / 'a.spv').touch()
        (files / 'fuzz').touch()
        check_completeness(pages, source)
        check_roff(pages)
        check_bash(pages, files)
        for shell, check in (('fish', lambda: check_fish(pages, files)), ('zsh', lambda: check_zsh(pages, source))):
            if shutil.which(shell):
                check()
            else:
                print(f'{shell} is not on this machine')
        check_installation(build, source, sys.argv[3], work)
    for failure in failures:
        print(f'FAILED: {failure}')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
