#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws strings and paragraphs at random, for readers who do not know the project
(docs/measurements/words.md says how they are asked).

  words_sample.py [--seed N] [--strings N] [--paragraphs N] [ROOT]

A string is a literal of src/ with four words or more that a person can meet: help, messages,
reasons, the report. Adjacent literals are one. A paragraph is one of README.md and docs/ with 25
words or more; tables, code and generated pages are left out. The same tree and seed give the same
sample."""
import argparse
import pathlib
import random
import re

GENERATED = {'cli.md', 'transformations.md', 'references.md'}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def without_comments(text):
    return re.sub(r'^\s*//.*$', '', text, flags=re.M)


NOT_PROSE = re.compile(r'SELECT|CREATE |INSERT|UPDATE|DELETE|PRAGMA|<[a-z/]|%[0-9.]*l?[a-z]\b|'
                       r'[{};]\s*\\n|^\s*#|^refract |^OP[A-Z]|libc\+\+abi')


def is_prose(text):
    words = [word for word in text.split() if re.fullmatch(r"[(`'\"]*[A-Za-z][A-Za-z'-]*[.,:;)`'\"?!]*", word)]
    return len(words) >= 4 and not NOT_PROSE.search(text)


def strings_of(root):
    found = set()
    for path in sorted((root / 'src').rglob('*.cpp')):
        text = without_comments(path.read_text())
        text = '\n'.join(line for line in text.split('\n') if not line.startswith('#include'))
        for run in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
            whole = ''.join(LITERAL.findall(run.group(0)))
            if is_prose(whole):
                found.add(' '.join(whole.replace('\\n', ' ').replace('\\"', '"').split()))
    return sorted(found)


def paragraphs_of(root):
    found = set()
    for path in [root / 'README.md'] + sorted((root / 'docs').rglob('*.md')):
        if path.name in GENERATED or path.name.endswith('.tail.md'):
            continue
        text = re.sub(r'^```.*?^```', '', path.read_text(), flags=re.M | re.S)
        for part in re.split(r'\n\s*\n', text):
            part = part.strip('\n')
            if part.startswith(('|', '#', '    ', '\t')) or '\n|' in part:
                continue
            flat = ' '.join(part.split())
            if len(re.findall(r"[A-Za-z]{2,}", flat)) >= 25:
                found.add(flat)
    return sorted(found)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('root', nargs='?', default='.', type=pathlib.Path)
    arguments.add_argument('--seed', type=int, default=1)
    arguments.add_argument('--strings', type=int, default=60)
    arguments.add_argument('--paragraphs', type=int, default=20)
    given = arguments.parse_args()
    draw = random.Random(given.seed)
    strings = strings_of(given.root)
    paragraphs = paragraphs_of(given.root)
    print(f'## {given.strings} of {len(strings)} strings, seed {given.seed}\n')
    for number, text in enumerate(draw.sample(strings, given.strings), 1):
        print(f'{number}. {text}')
    print(f'\n## {given.paragraphs} of {len(paragraphs)} paragraphs, seed {given.seed}\n')
    for number, text in enumerate(draw.sample(paragraphs, given.paragraphs), 1):
        print(f'{number}. {text}\n')


if __name__ == '__main__':
    main()
