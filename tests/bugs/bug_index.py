# SPDX-License-Identifier: Apache-2.0
"""The index of docs/bugs.md: a table for each program, with a column for each version that was tried."""

import json
import re

BEGIN = "<!-- `tests/bugs/run.py --record` writes the states in these tables. -->"
PROGRAMS = [("lavapipe", "lavapipe"), ("radv", "RADV"), ("swiftshader", "SwiftShader"), ("nvidia", "NVIDIA"),
            ("spirv-opt", "spirv-opt"), ("spirv-val", "spirv-val"), ("spirv-cross", "SPIRV-Cross"),
            ("naga", "naga")]


def program(target):
    return next(title for name, title in PROGRAMS if target.startswith(name))


def number_key(number):
    return [int(part) if part.isdigit() else 0 for part in number.split(".")]


class Row:
    """A row of the index: a bug with its states."""

    def __init__(self, link, kind, found_by, test):
        self.link, self.kind, self.found_by, self.test = link, kind, found_by, test
        self.states = {}  # by (program, version)

    def add(self, place, state):
        """A bug is there if one of its tests shows it, and fixed if all tests are."""
        if state not in ("there", "fixed"):
            state = "other"
        known = self.states.get(place, state)
        if known != state:
            state = "there" if "there" in (known, state) else "other"
        self.states[place] = state

    def text(self, places):
        cells = [self.link, self.kind, self.found_by, self.test, *(self.states.get(place, "") for place in places)]
        return "| " + " | ".join(cells) + " |"


def rows_of(page):
    """The rows of all tables of the index, by the anchor of their section."""
    rows = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        anchor = re.fullmatch(r"\[.*\]\(#(.*)\)", cells[0])
        if line.startswith("| [") and anchor:
            # In a row that was written by hand, the target and its version come before the kind.
            kind = next(i for i, cell in enumerate(cells) if re.match(r"(miscompilation|crash|hang|invalid|reject)", cell)
                        and i > 0)
            rows[anchor[1]] = Row(cells[0], cells[kind], cells[kind + 1], cells[kind + 2])
    return rows


def anchor_of(title):
    """As GitHub makes it from a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def with_states(page, bugs):
    """The page with the tables of its index written again."""
    rows = rows_of(page)
    for bug in bugs:
        row = rows[anchor_of(bug["bug"])]
        for number, state in bug.get("versions", {}).items():
            row.add((program(bug["target"]), number), state)
    titles = {anchor_of(bug["bug"]): program(bug["target"]) for bug in reversed(bugs)}
    text = BEGIN + "\n"
    for _, title in PROGRAMS:
        chosen = [row for anchor, row in rows.items() if titles.get(anchor) == title]
        if not chosen:
            continue
        order = [name for _, name in PROGRAMS]
        places = sorted({place for row in chosen for place in row.states},
                        key=lambda place: (order.index(place[0]), number_key(place[1])))
        heads = ["bug", "kind", "found by", "test", *(f"{name} {number}" for name, number in places)]
        text += "\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|\n"
        text += "".join(row.text(places) + "\n" for row in chosen)
    begin = page.index(BEGIN) if BEGIN in page else page.index("| bug |")
    return page[:begin] + text + "\n" + page[page.index("\n## ", begin) + 1:]


def json_text(bugs):
    """The text of bugs.json: an entry on a few lines."""
    return '{"bugs": [\n' + ",\n".join(entry(bug) for bug in bugs) + "\n]}\n"


def entry(bug):
    lines, line = [], "  {"
    for place, (key, value) in enumerate(bug.items()):
        member = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        if place > 0:
            line += ", "
            if len(line) + len(member) > 110:
                lines.append(line.rstrip())
                line = "   "
        line += member
    return "\n".join([*lines, line + "}"])
