#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tables of docs/inputs.md, "What runs". In the first table, each row must have two references and
two donors, which exist and have code of the item, each transformation must exist, and a reference must have the
kind of input. In the second table, a small module for each row must be changed by `fuzz`, and `run` must refuse it with
the words of the row.

    inputs_page_test.py --refract FILE --source FOLDER
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

# What the source of a reference or donor has, for each row of the first table.
CODE = {
    "texel fetches": r"texelFetch",
    "samples at levels, with gradients and bias": r"textureLod|textureGrad|texture\(\w+, [^;]*, [\d.]+\)",
    "mip levels": r"textureQueryLevels",
    "multisampled images": r"2DMS",
    "gathers": r"textureGather",
    "samplers with all address modes": r"texture(Lod|Gather)\(",
    "samplers with coordinates in texels": r"textureLod\(",
    "minimum and maximum of texels": r"textureLod\(",
    "constant offsets": r"(Fetch|Gather|Lod|texture)Offset\(",
    "depth images with comparison": r"Shadow",
    "cubes and arrays of cubes": r"[sS]amplerCube|imageCube",
    "3D images and arrays": r"(sampler|image)(3D|2DArray)",
    "texel buffers": r"(texture|sampler|image)Buffer",
    "storage images with formats": r"(r|rg|rgba)(8|16|32)\w*\)[^;]*image",
    "8-bit integers": r"(u|\W)int8_t|[ui]8vec",
    "16-bit integers": r"(u|\W)int16_t|[ui]16vec",
    "16-bit floats": r"float16_t|f16vec",
    "64-bit integers": r"int64_t|64vec",
    "64-bit integers: bits and shifts": r"u?int64_t[^;]*(<<|>>)",
    "64-bit integers: atomics": r"shader_atomic_int64",
    "float controls": r"SPV_KHR_float_controls",
    "integer dot products": r"Op[SU]+Dot",
    "subgroups: votes, ballots, sums, scans, shuffles": r"subgroup[A-Z]",
    "quads of a subgroup": r"subgroupQuad",
    "clusters of a subgroup": r"subgroupClustered",
    "the Vulkan memory model, non-private memory": r"use_vulkan_memory_model",
    "atomics": r"\batomic[A-Z]|imageAtomic",
    "values for each sample of a pixel": r"gl_SampleID",
    "frames with several samples": r"gl_SampleMask",
    "multisampled input attachments": r"subpassInputMS",
    "multisampled storage images": r"image2DMS",
    "early tests, with fragments that are discarded": r"early_fragment_tests[\s\S]*discard",
    "helper invocations": r"gl_HelperInvocation",
    "derivatives": r"\b(fwidth|dFd[xy])",
    "demoted and ended fragments": r"\bdemote\b|OpDemote|OpTerminate",
    "attributes of vertices, indices and instances": r"location = [1-9]\d*\S*\)\s*in|gl_InstanceIndex",
    "tessellation": r"vertices = \d+\) out|gl_TessCoord",
    "geometry shaders": r"\bEmitVertex\b",
    "task and mesh shaders": r"SetMeshOutputsEXT|EmitMeshTasksEXT",
    "input attachments": r"subpassLoad",
    "several colour targets": r"location = 1\) out",
    "depth targets": r"gl_FragDepth",
    "specialisation constants of all types": r"constant_id",
    "runtime arrays at the end of blocks": r"\w\[\];[^{}]*}",
    "scalar layouts": r"scalar, set",
    "arrays of descriptors, also with indices that are not uniform": r"nonuniformEXT",
    "buffer references": r"buffer_reference",
    "ray queries": r"rayQueryProceed",
    "ray tracing": r"traceRayEXT|rayPayloadInEXT",
    "intersection, any-hit and callable shaders":
        r"reportIntersectionEXT|ignoreIntersectionEXT|terminateRayEXT|callableDataInEXT",
    "push constants": r"push_constant",
}

# What the inputs of each reference have, for rows of which the code of a reference does not show it.
INPUTS = {
    "samplers with coordinates in texels": r'"coordinates": "texels"',
    "minimum and maximum of texels": r'"reduction": "(minimum|maximum)"',
    "frames with several samples": r'"\$framebuffer": {[^}]*"samples": [248]\b',
}

# Modules for each row of the second table.
REFUSED = {
    "arrays of descriptors without a length, or of arrays": [("a.frag", """#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(binding = 0) uniform sampler2D many[];
layout(location = 0) out vec4 colour;
void main() { colour = texture(many[int(gl_FragCoord.x)], vec2(0.5)); }"""), ("b.comp", """#version 450
layout(binding = 0) buffer Many { uint word; } many[2][3];
void main() { many[1][2].word = many[0][1].word + 1u; }""")],
    "cooperative matrices (`GL_NV_cooperative_matrix`)": [("a.comp", """#version 450
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Numbers { float16_t numbers[512]; };
void main() {
  fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> part;
  coopMatLoadNV(part, numbers, 0, 16, false);
  part = part * float16_t(2.0) + part;
  coopMatStoreNV(part, numbers, 256, 16, false);
}""")],
}

failures = []


def complain(text):
    failures.append(text)
    print("docs/inputs.md: " + text)


def tables(page):
    """The rows of the tables after "## What runs", as lists of cells without backticks."""
    text = page[page.index("## What runs"):]
    found = []
    for block in re.split(r"\n\n", text):
        lines = [line for line in block.strip().split("\n") if line.startswith("|")]
        if lines:
            found.append([[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]])
    return found


def names(cell):
    return [name for name in re.split(r",\s*", cell.replace("`", "")) if name]


def check_item(row, source, known):
    item, transformations, inputs, references, donors = row
    if item not in CODE:
        return complain(f'"{item}" has no pattern in the test')
    for name in names(transformations):
        if name not in known:
            complain(f'"{item}": there is no transformation {name}')
    written = []
    for folder, cell in (("references", references), ("donors", donors)):
        if len(set(names(cell))) < 2:
            complain(f'"{item}": {folder}: fewer than two')
        for name in names(cell):
            # One shader of a pipeline is named with its extension.
            paths = [os.path.join(source, folder, below, name) for below in ("", "drivers")]
            files = [p for p in paths if os.path.isfile(p)] or [
                f for p in paths for f in glob.glob(p + ".*") if not f.endswith(".json")]
            if len(files) != 1:
                complain(f'"{item}": {folder} has no file {name}')
                continue
            with open(files[0], encoding="utf-8") as file:
                if not re.search(CODE[item], file.read()):
                    complain(f'"{item}": {folder}/{name} has no code for it')
            if folder == "references":
                with open(os.path.splitext(files[0])[0] + ".json", encoding="utf-8") as file:
                    written.append(file.read())
                if not re.search(INPUTS.get(item, ""), written[-1]):
                    complain(f'"{item}": references/{name} has no inputs for it')
    kind = inputs.strip("`")
    if kind != "-" and written and not any(kind in text for text in written):
        complain(f'"{item}": no reference of the row has inputs of the kind {kind}')


def check_refused(row, refract, folder):
    item, _, message = row
    if item not in REFUSED:
        return complain(f'"{item}" has no module in the test')
    for name, text in REFUSED[item]:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        fuzz = [refract, "fuzz", path, "-o", path + ".spv", "--seed", "1", "--max-steps", "60"]
        if subprocess.run(fuzz, capture_output=True, check=False).returncode != 0:
            complain(f'"{item}": `refract fuzz {name}` fails')
        run = subprocess.run([refract, "run", path, "--target", "interp", "--zero-inputs"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 7 or message not in run.stdout + run.stderr:
            complain(f'"{item}": `refract run {name}` ends with {run.returncode}: {run.stdout}{run.stderr}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refract", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    with open(os.path.join(options.source, "docs", "inputs.md"), encoding="utf-8") as file:
        runs, refused = tables(file.read())
    listed = subprocess.run([options.refract, "list"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"[a-z]+(?:_[a-z]+)+", listed))
    for row in runs:
        check_item(row, options.source, known)
    with tempfile.TemporaryDirectory() as folder:
        for row in refused:
            check_refused(row, options.refract, folder)
    for item in (set(CODE) | set(INPUTS)) - {row[0] for row in runs} | set(REFUSED) - {row[0] for row in refused}:
        complain(f'no row for "{item}"')
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
