#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares docs/json.md with the output of the verbs. Every object on the page must be printed by a command
below, every printed object must be on the page, and their keys must be the same. Lists verbs that take --json
and are not on the page.

    json_page_test.py --refract FILE --source FOLDER
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# Run in this order, in one folder with FILES; S is references/life_masks.frag. The first word is the section
# of the page, and "7:" or the like is the expected exit code if it is not 0. Several commands of a verb print
# different objects.
COMMANDS = """
fuzz     refract fuzz S -o v.spv --seed 3 --max-steps 300 --json
replay   refract replay S v.refract --steps 100-300 -o part.spv --json
replay   refract replay S nowhere.txt --force -o same.spv --json
show     refract show v.refract --json
inputs   refract inputs S -o made.json --json
run      refract run S v.spv --target lavapipe -o pictures --json
run      refract run S --target lavapipe,interp --json
run      7: refract run S --target lavapipe,./driver.json --json
run      4: refract run a.comp b.comp --target lavapipe --json
run      4: refract run blank.spvasm $(dirname S)/../tests/bugs/spirv_opt_null_array_insert.spvasm --target spirv-opt-O --json
compare  refract compare pictures/lavapipe.original.png pictures/lavapipe.variant.png --json
compare  4: refract compare pictures/lavapipe.original.png small.png --json
check    refract check S --json
check    4: refract check c.comp --json
reduce   refract reduce S v.refract -o small.spv --json -- true
reduce_module refract reduce S -o tiny.spv --json --max-tries 3 -- true
prepare  refract prepare . -o prepared --json
diff     refract diff v.spv part.spv --json
list     refract list --json
explain  refract explain split_block --json
targets  refract targets --json
doctor   refract doctor --json
passes   refract targets --passes --json
signature refract signature crash.txt --json
repeat   5: cp v.spv found/original.spv; cp v.json found/original.json; cp v.spv found/variant.spv; refract repeat found --json
dedup    refract dedup . --json
campaign 4: refract campaign --references S --targets picky --target-files picky.json --out camp --tests 2 --seed 1 --keep 1 --jobs 1 --json
clusterfuzz refract clusterfuzz --input_dir . --output_dir cf --no_of_files 1 --seed 1 --json
cfg      4: refract cfg check S loop.spvasm --table --json
divergence refract cfg divergence S --json
generate refract cfg generate --blocks 6 --count 2 --seed 1 -o graphs --json
enumerate refract cfg enumerate --blocks 2 --json
count    refract cfg count --blocks 9 --json
mine     refract cfg mine S -o mined --json
mine     refract cfg mine flat.spvasm --json
flesh    refract flesh '0>1 1>ret' --seed 1 -o programs --json
generated refract generate --seed 1 -o generated.spv --json
generated_list refract generate --seed 1 --count 2 -o generated --json
import   refract import sum.amber -o imported --json
coverage refract coverage compare a.info b.coverage --json
gaps     refract coverage gaps a.info b.coverage --json
"""

# `--json` is an option of every verb, but these print no object of their own.
NOTHING = {"merge", "report", "export", "issue"}

FILES = {
    # A kernel whose control flow is not structured.
    "flat.spvasm": b"OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
                   b"OpMemoryModel Physical64 OpenCL\n"
                   b"%v = OpTypeVoid\n%f = OpTypeFunction %v\n%b = OpTypeBool\n%t = OpConstantTrue %b\n"
                   b"%m = OpFunction %v None %f\n%e = OpLabel\nOpBranchConditional %t %x %y\n"
                   b"%x = OpLabel\nOpReturn\n%y = OpLabel\nOpReturn\nOpFunctionEnd\n",
    # A driver that does not exist.
    "driver.json": b'{"file_format_version": "1.0.0", '
                   b'"ICD": {"library_path": "/nowhere.so", "api_version": "1.1"}}',
    # A step that refers to a step that does not exist.
    "nowhere.txt": b'# Refract recording\nformat: 1\ntarget_env: "vulkan1.1"\nentry: "main"\n'
                   b'steps { number: 1 transformation { split_block { before { step: 9 } } } }\n',
    # A tool that refuses modules longer than the module S.
    "picky.json": b'{"name": "picky", "description": "no to variants", "commands": [{"run": ["/bin/sh", '
                  b'"-c", "test $(wc -c < $0) -lt 12000 && cp $0 $1", "{in}", "{out}"], '
                  b'"output": "spirv"}], "render": false}',
    # Coverage: A ran lines 1 and 3 and function F, B ran lines 2 and 3 and function G.
    "a.info": b"SF:a.cpp\nFN:1,F\nFN:2,G\nFNDA:1,F\nFNDA:0,G\nDA:1,1\nDA:2,0\nDA:3,1\nend_of_record\n",
    "b.coverage": b'{"refract_coverage":1,"target":"t","program":"p","files":[{"name":"a.cpp","lines":[1,1,1],'
                  b'"functions":[["F",1],["G",2]]}],"tests":[{"name":"x","lines":[1,2],"functions":[1,1]}]}',
    # A script that checks a sum.
    "sum.amber": b"#!amber\nSHADER compute add GLSL\n#version 450\n"
                 b"layout(std430, binding = 0) buffer Sum { int sum; };\nvoid main() { sum = sum + 2; }\nEND\n"
                 b"BUFFER sum DATA_TYPE int32 DATA 1 END\nPIPELINE compute p\n  ATTACH add\n"
                 b"  BIND BUFFER sum AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\n"
                 b"EXPECT sum IDX 0 EQ 3\n",
    "crash.txt": b"tool: free(): invalid pointer\nAborted\n",
    # Two modules with different outputs.
    "a.comp": b"#version 450\nlayout(local_size_x = 1) in;\n"
              b"layout(std430, binding = 0) buffer Out { int x; };\nvoid main() { x = 1; }\n",
    "b.comp": b"#version 450\nlayout(local_size_x = 1) in;\n"
              b"layout(std430, binding = 0) buffer Out { int x; };\nvoid main() { x = 2; }\n",
    # A module that divides by zero.
    "c.comp": b"#version 450\nlayout(local_size_x = 1) in;\n"
              b"layout(std430, binding = 0) buffer Out { int x; };\n"
              b"void main() { x = 1 / int(gl_GlobalInvocationID.x); }\n",
    # A loop header that neither branch leaves, which spirv-val accepts.
    "loop.spvasm": b"OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n"
                   b"%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeBool\n%4 = OpConstantTrue %3\n"
                   b"%5 = OpFunction %1 None %2\n%6 = OpLabel\nOpBranch %7\n%7 = OpLabel\n"
                   b"OpLoopMerge %8 %9 None\nOpBranchConditional %4 %10 %11\n%10 = OpLabel\n"
                   b"OpBranch %9\n%11 = OpLabel\nOpBranch %9\n%9 = OpLabel\nOpBranch %7\n"
                   b"%8 = OpLabel\nOpReturn\nOpFunctionEnd\n",
    # Only an entry point.
    "blank.spvasm": b'OpCapability Shader\nOpMemoryModel Logical GLSL450\n'
                    b'OpEntryPoint Fragment %1 "main"\nOpExecutionMode %1 OriginUpperLeft\n'
                    b'%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%1 = OpFunction %2 None %3\n'
                    b'%4 = OpLabel\nOpReturn\nOpFunctionEnd\n',
    # A test folder, but without its modules.
    "found/test.json": b'{"format": 1, "verdict": "wrong_buffer", "signature": "wrong_buffer interp", '
                       b'"target": {"name": "interp"}, "rule": "exact", "entry": "main", '
                       b'"environment": "vulkan1.1"}',
    # An image of one black pixel.
    "small.png": bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000b49444154789c6360000200000500017a5eab3f0000000049454e44ae426082"),
}


def objects_of_page(text):
    """Section to keys, {"*"} for any keys."""
    found = {}
    for where, keys in re.findall(r"^- `([\w.*\[\]]+)`: `\{([^}]*)\}`", text, re.M):
        if where in found:
            sys.exit(f"docs/json.md: {where} is there twice")
        found[where] = {key.strip() for key in keys.split(",")}
    return found


class Comparison:
    def __init__(self, page):
        self.page = page
        self.seen = set()
        self.wrong = []

    def walk(self, value, where):
        if isinstance(value, list):
            for element in value:
                self.walk(element, where + "[]")
        if not isinstance(value, dict):
            return
        keys = self.page.get(where)
        self.seen.add(where)
        if keys is None:
            self.complain(f"{where}: {{{', '.join(value)}}} is printed and not on the page")
            return
        if keys == {"*"}:
            below = where + ".*"
            # Fields of transformations contain objects that the page does not describe.
            if below in self.page:
                for element in value.values():
                    self.walk(element, below)
            return
        for key in sorted(keys - set(value)):
            self.complain(f"{where}: `{key}` is on the page and not printed")
        for key in sorted(set(value) - keys):
            self.complain(f"{where}: `{key}` is printed and not on the page")
        for key, element in value.items():
            self.walk(element, f"{where}.{key}")

    def complain(self, what):
        if what not in self.wrong:
            self.wrong.append(what)


def run(command, wanted, refract, source, folder):
    line = re.sub(r"\bS\b", source + "/references/life_masks.frag", command)
    line = re.sub(r"\brefract ", f"'{refract}' ", line, count=1)
    ran = subprocess.run(line, shell=True, cwd=folder, capture_output=True, timeout=300)
    if ran.returncode != wanted:
        sys.exit(f"{command}: exits with {ran.returncode}, not {wanted}: {ran.stderr.decode()}")
    return ran.stdout


def self_test():
    page = objects_of_page("- `a`: `{x,\n  y}`. Text.\n- `a.y[]`: `{z}`\n- `b`: `{*}`\n")
    assert page == {"a": {"x", "y"}, "a.y[]": {"z"}, "b": {"*"}}, page
    for value, complaints in [({"x": 1, "y": [{"z": 1}]}, 0), ({"x": 1}, 1), ({"x": {}, "y": 0}, 1),
                              ({"x": 1, "y": [{"z": 1, "w": 2}], "v": 3}, 2)]:
        comparison = Comparison(page)
        comparison.walk(value, "a")
        assert len(comparison.wrong) == complaints, (value, comparison.wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refract", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    given = parser.parse_args()
    self_test()
    with open(os.path.join(given.source, "docs/json.md"), encoding="utf-8") as file:
        page = objects_of_page(file.read())
    comparison = Comparison(page)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        os.environ.update(REFRACT_CACHE="", XDG_CACHE_HOME=cache)
        for name, content in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        for line in COMMANDS.strip().splitlines():
            where, command = line.split(None, 1)
            wanted = re.match(r"(\d+): ", command)
            command = command[wanted.end():] if wanted else command
            printed = run(command, int(wanted[1]) if wanted else 0, given.refract, given.source, folder)
            comparison.walk(json.loads(printed), where)
    for where in sorted(set(page) - comparison.seen):
        comparison.complain(f"{where}: no command of this test prints it")
    verbs = subprocess.run([given.refract, "--help"], capture_output=True, text=True, check=True).stdout
    for verb in re.findall(r"^  ([a-z]+) ", verbs.split("Verbs:")[1].split("\n\n")[0], re.M):
        if verb not in {re.split(r"\W", where)[0] for where in page} | NOTHING:
            comparison.complain(f"{verb}: a verb that is not on the page")
    for what in comparison.wrong:
        print("docs/json.md: " + what)
    print(f"{len(comparison.seen)} objects compared, {len(comparison.wrong)} differences")
    return 1 if comparison.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
