#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the assembly of small modules that are expensive for code that visits them without care.

make_crafted.py KIND N: N is the number of something, or its depth. All modules are valid.
"""
import sys

HEAD = """; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
{decorations}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%bool = OpTypeBool
%true = OpConstantTrue %bool
%one = OpConstant %int 1
%two = OpConstant %int 2
%pint = OpTypePointer Function %int
{types}
%main = OpFunction %void None %fn
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
{functions}
"""


def module(types=(), body=(), functions=(), decorations=()):
    parts = {"types": types, "body": body, "functions": functions, "decorations": decorations}
    return HEAD.format(**{name: "\n".join(lines) for name, lines in parts.items()})


def levels(n, level, last="%int"):
    """Lines of n types, each made from the previous one, and the name of the last."""
    lines = []
    for i in range(n):
        lines.append(level(f"%t{i}", last))
        last = f"%t{i}"
    return lines, last


def variable_of(lines, last, copied=True):
    body = ["%v = OpVariable %pt Function"]
    if copied:
        body += [f"%x = OpLoad {last} %v", "OpStore %v %x"]
    return module(lines + [f"%pt = OpTypePointer Function {last}"], body)


def doubling_types(n):
    return variable_of(*levels(n, lambda name, of: f"{name} = OpTypeStruct {of} {of}"))


def nested_structs(n):
    return variable_of(*levels(n, lambda name, of: f"{name} = OpTypeStruct {of}"))


def nested_arrays(n):
    return variable_of(*levels(n, lambda name, of: f"{name} = OpTypeArray {of} %two"))


def doubling_block(n):
    """A buffer of the type, with offsets: code that fills buffers visits it too."""
    lines, last = levels(n, lambda name, of: f"{name} = OpTypeStruct {of} {of}")
    size, decorations = 4, []
    for i in range(n):
        decorations += [f"OpMemberDecorate %t{i} 0 Offset 0",
                        f"OpMemberDecorate %t{i} 1 Offset {min(size, 2**28)}"]
        size *= 2
    decorations += ["OpDecorate %block Block", "OpMemberDecorate %block 0 Offset 0",
                    "OpDecorate %v DescriptorSet 0", "OpDecorate %v Binding 0"]
    lines += [f"%block = OpTypeStruct {last}", "%pt = OpTypePointer Uniform %block",
              "%v = OpVariable %pt Uniform", f"%pl = OpTypePointer Uniform {last}",
              "%zero = OpConstant %int 0"]
    return module(lines, ["%x = OpAccessChain %pl %v %zero"], (), decorations)


def constant_tree(n):
    lines, last, value = [], "%int", "%one"
    for i in range(n):
        lines += [f"%t{i} = OpTypeStruct {last} {last}",
                  f"%k{i} = OpConstantComposite %t{i} {value} {value}"]
        last, value = f"%t{i}", f"%k{i}"
    lines.append(f"%pt = OpTypePointer Function {last}")
    return module(lines, ["%v = OpVariable %pt Function", f"OpStore %v {value}"])


def spec_chain(n):
    lines, last = ["%s = OpSpecConstant %int 1"], "%s"
    for i in range(n):
        lines.append(f"%s{i} = OpSpecConstantOp %int IAdd {last} {last}")
        last = f"%s{i}"
    return module(lines, ["%v = OpVariable %pint Function", f"OpStore %v {last}"], (),
                  ["OpDecorate %s SpecId 0"])


def functions_calling(n, times):
    functions = []
    for i in range(n):
        functions += [f"%f{i} = OpFunction %void None %fn", f"%e{i} = OpLabel"]
        if i + 1 < n:
            functions += [f"%c{i}_{k} = OpFunctionCall %void %f{i + 1}" for k in range(times)]
        functions += ["OpReturn", "OpFunctionEnd"]
    return module((), ["%c = OpFunctionCall %void %f0"], functions)


def nested_ifs(n):
    body = []
    for i in range(n):
        body += [f"OpSelectionMerge %m{i} None", f"OpBranchConditional %true %b{i} %m{i}",
                 f"%b{i} = OpLabel"]
    for i in reversed(range(n)):
        body += [f"OpBranch %m{i}", f"%m{i} = OpLabel"]
    return module((), body)


def nested_loops(n):
    body = []
    for i in range(n):
        body += [f"OpBranch %h{i}", f"%h{i} = OpLabel", f"OpLoopMerge %m{i} %k{i} None",
                 f"OpBranch %b{i}", f"%b{i} = OpLabel"]
    for i in reversed(range(n)):
        body += [f"OpBranch %m{i}", f"%k{i} = OpLabel", f"OpBranch %h{i}", f"%m{i} = OpLabel"]
    return module((), body)


def ifs_in_a_row(n):
    body = []
    for i in range(n):
        body += [f"OpSelectionMerge %m{i} None", f"OpBranchConditional %true %b{i} %m{i}",
                 f"%b{i} = OpLabel", f"OpBranch %m{i}", f"%m{i} = OpLabel"]
    return module((), body)


def block_chain(n):
    return module((), [line for i in range(n) for line in (f"OpBranch %b{i}", f"%b{i} = OpLabel")])


def long_block(n):
    body, last = ["%v = OpVariable %pint Function"], "%one"
    for i in range(n):
        body.append(f"%x{i} = OpIAdd %int {last} %one")
        last = f"%x{i}"
    return module((), body + [f"OpStore %v {last}"])


def wide_switch(n):
    cases = " ".join(f"{i} %b{i}" for i in range(n))
    body = ["OpSelectionMerge %m None", f"OpSwitch %one %m {cases}"]
    for i in range(n):
        body += [f"%b{i} = OpLabel", "OpBranch %m"]
    body.append("%m = OpLabel")
    sources = " ".join(f"%one %b{i}" for i in range(n))
    return module((), body + [f"%p{k} = OpPhi %int {sources} %one %entry" for k in range(20)])


def many_functions(n):
    functions = []
    for i in range(n):
        functions += [f"%f{i} = OpFunction %void None %fn", f"%e{i} = OpLabel", "OpReturn",
                      "OpFunctionEnd"]
    return module((), (), functions)


def many_variables(n):
    types = ["%pp = OpTypePointer Private %int"]
    types += [f"%g{i} = OpVariable %pp Private" for i in range(n)]
    return module(types, [f"OpStore %g{i} %one" for i in range(n)])


def many_types(n):
    return module([f"%t{i} = OpTypeStruct %int %int" for i in range(n)])


def wide_struct(n):
    return variable_of(["%t = OpTypeStruct" + " %int" * n], "%t")


def large_array(n):
    return variable_of([f"%n = OpConstant %int {n}", "%t = OpTypeArray %int %n"], "%t", False)


def many_entries(n):
    text = module()
    extra = "\n".join(f'OpEntryPoint GLCompute %main "main{i}"' for i in range(n))
    return text.replace('"main"\n', '"main"\n' + extra + "\n")


def large_id(n):
    return module((), [f"%{n} = OpIAdd %int %one %one"])


KINDS = {
    "calls": lambda n: functions_calling(n, 1),
    "calls_twice": lambda n: functions_calling(n, 2),
}
for kind in (doubling_types, nested_structs, nested_arrays, doubling_block, constant_tree,
             spec_chain, nested_ifs, nested_loops, ifs_in_a_row, block_chain, long_block,
             wide_switch, many_functions, many_variables, many_types, wide_struct, large_array,
             many_entries, large_id):
    KINDS[kind.__name__] = kind

if __name__ == "__main__":
    sys.stdout.write(KINDS[sys.argv[1]](int(sys.argv[2])))
