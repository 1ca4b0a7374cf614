#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""open_refusals.py SOURCE_DIR OUT_DIR SOURCE...: copies sources so that each `No("reason")` can be disabled
at run time, as if that check did not exist. Writes OUT_DIR/NAME.cpp for each SOURCE, and
OUT_DIR/refusals.inc, the table of refusals. For tests/measure/refusals.cpp. The SOURCEs were chosen when the
build was configured, so it is an error if another file in their folders has a refusal.

    if (bad) return No("x");     if (bad) { if (Refuses(7)) return No("x"); }
    verdict = No("x");           { if (Refuses(7)) verdict = No("x"); }
    return No("x");              return Refuses(7) ? No("x") : Yes();       where nothing follows
    good ? Yes() : No("x")       good ? Yes() : (Refuses(7) ? No("x") : Yes())
"""
import os
import re
import sys

NO = re.compile(r'(?<![\w.])No\(\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)\s*\)')
STATEMENT = re.compile(r'(return|\w+ =)\s+$')


def mask(text):
    """The text with comments, strings and characters blanked, so that only code is left."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
    return token.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)


def opening(code, at):
    """The position of the bracket that the one at `at` closes."""
    depth = 0
    while True:
        depth += (code[at] in ')}') - (code[at] in '({')
        if depth == 0:
            return at
        at -= 1


def is_under_if(code, at):
    """Whether the text before `at` ends with `if (...)`, so that the next statement is its branch."""
    before = code[:at].rstrip()
    if not before.endswith(')'):
        return False
    head = code[:opening(code, len(before) - 1)].rstrip()
    return re.search(r'\b(if|if constexpr|for|while)$', head) is not None


def falls_through(code, begin, end):
    """Whether control may continue after the statement: it is the branch of an if, or ends one."""
    if is_under_if(code, begin):
        return True
    if not code[end:].lstrip().startswith('}'):
        return not re.match(r'\s*(case|default)\b', code[end:])
    depth, at = 0, begin  # the brace that contains the statement
    while depth >= 0:
        at -= 1
        depth += (code[at] == '}') - (code[at] == '{')
    return is_under_if(code, at)


def opened(text, number):
    """The text with its refusals made optional, numbered from `number`, and (line, reason) of each."""
    code = mask(text)
    pieces, sites, done = [], [], 0
    for match in NO.finditer(text):
        if code[match.start():match.start() + 2] != 'No':
            continue  # in a comment
        reason = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', match.group(1)))
        refuses = f'::refract::Refuses({number + len(sites)})'
        sites.append((text.count('\n', 0, match.start()) + 1, reason))
        begin, end = match.start(), match.end()
        statement = STATEMENT.search(code[:begin])
        whole = statement and code[end:end + 1] == ';'
        head = code[statement.start():begin] if whole else ''
        if whole and (not head.startswith('return') or falls_through(code, statement.start(), end + 1)):
            pieces += [text[done:statement.start()], f'{{ if ({refuses}) {head}{match.group()}; }}']
            done = end + 1
        else:
            pieces += [text[done:begin], f'({refuses} ? {match.group()} : Yes())']
            done = end
    if len(sites) != len(re.findall(r'(?<![\w.])No\(', code)):
        sys.exit('open_refusals: a No(...) whose reason is no string literal')
    return ''.join(pieces + [text[done:]]), sites


def write(path, text):
    """Writes a file only if its text changes, so that nothing is built again without need."""
    if os.path.exists(path) and open(path, encoding='utf-8').read() == text:
        return
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main(source_dir, out_dir, sources):
    for folder in sorted({os.path.dirname(source) for source in sources}):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.endswith('.cpp') and path not in sources:
                with open(path, encoding='utf-8') as file:
                    if NO.search(file.read()):
                        sys.exit(f'open_refusals: {path} has refusals since the build was configured: '
                                 'run cmake again')
    table = []
    for source in sources:
        with open(source, encoding='utf-8') as file:
            text, sites = opened(file.read(), len(table))
        name = os.path.basename(source)
        write(os.path.join(out_dir, name),
              f'#include "measure/refuses.h"\n#line 1 "{os.path.relpath(source, source_dir)}"\n{text}')
        table += [f'{{"{name[:-4]}", {line}, "{reason}"}},\n' for line, reason in sites]
    write(os.path.join(out_dir, 'refusals.inc'), ''.join(table))


main(sys.argv[1], sys.argv[2], sys.argv[3:])
