#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Generates the data of src/ir/grammar/grammar.h from the grammar files of SPIRV-Headers, so that nobody types
# opcodes by hand. Runs at build time. Its output is never committed.
#
#   gen_grammar.py CORE.json GLSL.json OUT.cpp
#
# Instructions and enumerants that share a number (OpSDot and OpSDotKHR) become one entry: the name without a
# vendor suffix is the leading name, the others are aliases.
import json
import sys

# Operand kinds that are not enums. Pairs become two operands that repeat together.
CLASSES = {
    "IdResultType": "kResultType",
    "IdResult": "kResult",
    "IdRef": "kId",
    "IdScope": "kScope",
    "IdMemorySemantics": "kMemorySemantics",
    "LiteralInteger": "kLiteralInteger",
    "LiteralFloat": "kLiteralInteger",
    "LiteralString": "kLiteralString",
    "LiteralContextDependentNumber": "kLiteralNumber",
    "LiteralExtInstInteger": "kExtInstNumber",
    "LiteralSpecConstantOpInteger": "kSpecOpcode",
}
QUANTIFIERS = {"": "kOne", "?": "kOptional", "*": "kAny"}
SUFFIX_RANK = {"": 0, "KHR": 1, "EXT": 2}
SUFFIXES = ("KHR", "EXT", "NV", "AMD", "INTEL", "GOOGLE", "HUAWEI", "QCOM", "ARM", "NVX")


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def quoted(text):
    return json.dumps(text)


def rank(name):
    """Sort key: the leading name of a number is the one with the lowest value."""
    suffix = next((s for s in SUFFIXES if name.endswith(s)), "")
    return SUFFIX_RANK.get(suffix, 3)


def version(entry):
    """The version word of the first version in which an entry needs no extension."""
    text = entry.get("version", "1.0")
    if text == "None":
        return "kNoVersion"
    major, minor = text.split(".")
    return f"0x{int(major) << 16 | int(minor) << 8:08x}u"


class Pool:
    """Arrays to which entries point. Equal contents are written once."""

    def __init__(self, name, element):
        self.name, self.element = name, element
        self.values, self.places = [], {}

    def span(self, items):
        items = tuple(items)
        if not items:
            return "{}"
        if items not in self.places:
            self.places[items] = len(self.values)
            self.values.extend(items)
        return f"{{{self.name} + {self.places[items]}, {len(items)}}}"

    def write(self, out):
        out.append(f"constexpr {self.element} {self.name}[] = {{")
        out.extend(f"    {value}," for value in self.values)
        out.append("};\n")


class Generator:
    def __init__(self, core, glsl):
        self.core, self.glsl = core, glsl
        kinds = core["operand_kinds"]
        self.enum_kinds = [k for k in kinds if k["category"] in ("BitEnum", "ValueEnum")]
        self.enum_index = {k["kind"]: i for i, k in enumerate(self.enum_kinds)}
        self.masks = {k["kind"] for k in self.enum_kinds if k["category"] == "BitEnum"}
        self.pairs = {k["kind"]: k["bases"] for k in kinds if k["category"] == "Composite"}
        self.capability = self.lead_names("Capability")
        self.operands = Pool("kOperands", "OperandGrammar")
        self.names = Pool("kNames", "std::string_view")
        self.capabilities = Pool("kCapabilities", "spv::Capability")

    def lead_names(self, kind):
        """Every enumerant's name -> the leading name of its value."""
        best = {}
        enumerants = next(k for k in self.enum_kinds if k["kind"] == kind)["enumerants"]
        for e in sorted(enumerants, key=lambda e: rank(e["enumerant"])):
            best.setdefault(number(e["value"]), e["enumerant"])
        return {e["enumerant"]: best[number(e["value"])] for e in enumerants}

    def operand(self, kind, quantifier):
        if kind in self.enum_index:
            cls = "kMask" if kind in self.masks else "kValueEnum"
            return f"{{OperandClass::{cls}, Quantifier::{quantifier}, {self.enum_index[kind]}}}"
        if kind not in CLASSES:
            sys.exit(f"gen_grammar.py: operand kind {kind} is new: add it to CLASSES")
        return f"{{OperandClass::{CLASSES[kind]}, Quantifier::{quantifier}, 0}}"

    def operand_list(self, entry):
        """The operands, and how many at the end repeat together."""
        result, repeated = [], 0
        for o in entry.get("operands", entry.get("parameters", [])):
            kinds = self.pairs.get(o["kind"], [o["kind"]])
            if o.get("quantifier") == "*":
                repeated = len(kinds)
            result += [self.operand(k, QUANTIFIERS[o.get("quantifier", "")]) for k in kinds]
        return result, repeated

    def capability_span(self, entries):
        names = sorted({self.capability[c] for e in entries for c in e.get("capabilities", [])})
        return self.capabilities.span(f"spv::Capability::{n}" for n in names)

    def grouped(self, entries, name, value):
        """Entries by number, the leading name first in each group."""
        groups = {}
        for e in entries:
            groups.setdefault(number(e[value]), []).append(e)
        for n in sorted(groups):
            yield n, sorted(groups[n], key=lambda e: rank(e[name]))

    def opcode_rows(self):
        for opcode, group in self.grouped(self.core["instructions"], "opname", "opcode"):
            lead = group[0]
            operands, repeated = self.operand_list(lead)
            kinds = [o["kind"] for o in lead.get("operands", [])]
            aliases = [quoted(e["opname"]) for e in group[1:] + [
                {"opname": a} for e in group for a in e.get("aliases", [])]]
            extensions = sorted({quoted(x) for e in group for x in e.get("extensions", [])})
            versions = sorted(version(e) for e in group)  # numbers sort before kNoVersion
            flag = lambda kind: "true" if kind in kinds else "false"
            yield ", ".join([
                f"static_cast<spv::Op>({opcode})", quoted(lead["opname"]), self.names.span(aliases),
                flag("IdResultType"), flag("IdResult"), str(repeated), versions[0],
                self.operands.span(operands), self.capability_span(group),
                self.names.span(extensions)])

    def enum_rows(self, out):
        for index, kind in enumerate(self.enum_kinds):
            rows = []
            for value, group in self.grouped(kind["enumerants"], "enumerant", "value"):
                parameters, _ = self.operand_list(group[0])
                fields = [quoted(group[0]["enumerant"]), f"0x{value:x}u",
                          sorted(version(e) for e in group)[0], self.operands.span(parameters),
                          self.capability_span(group)]
                rows.append(f"    {{{', '.join(fields)}}},")
            out.append(f"constexpr Enumerant kEnumerants{index}[] = {{")
            out += rows + ["};\n"]

    def glsl_rows(self):
        for n, group in self.grouped(self.glsl["instructions"], "opname", "opcode"):
            yield (f"{quoted(group[0]['opname'])}, {n}, {len(group[0].get('operands', []))}, "
                   f"{self.capability_span(group)}")

    def write(self):
        enums, body = [], []
        self.enum_rows(enums)
        body.append("constexpr OpcodeGrammar kOpcodes[] = {")
        body += [f"    {{{row}}}," for row in self.opcode_rows()]
        body += ["};\n", "constexpr EnumGrammar kEnums[] = {"]
        for index, kind in enumerate(self.enum_kinds):
            is_mask = "true" if kind["kind"] in self.masks else "false"
            body.append(f"    {{{quoted(kind['kind'])}, {is_mask}, kEnumerants{index}}},")
        body += ["};\n", "constexpr GlslGrammar kGlsl[] = {"]
        body += [f"    {{{row}}}," for row in self.glsl_rows()]
        body += ["};\n"]
        out = ["// SPDX-License-Identifier: Apache-2.0",
               "// Generated by tools/gen_grammar.py from SPIRV-Headers. Do not edit.",
               '#include "ir/grammar/grammar.h"', "", "namespace refract::inline ir {", "namespace {", ""]
        for pool in (self.operands, self.names, self.capabilities):
            pool.write(out)
        out += enums + body
        out += ["}  // namespace", "",
                "std::span<const OpcodeGrammar> AllOpcodes() { return kOpcodes; }",
                "std::span<const EnumGrammar> AllEnums() { return kEnums; }",
                "std::span<const GlslGrammar> AllGlsl() { return kGlsl; }", "",
                "}  // namespace refract::inline ir", ""]
        return "\n".join(out)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: gen_grammar.py CORE.json GLSL.json OUT.cpp")
    with open(sys.argv[1], encoding="utf-8") as core, open(sys.argv[2], encoding="utf-8") as glsl:
        text = Generator(json.load(core), json.load(glsl)).write()
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
