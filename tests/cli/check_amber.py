#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads an AmberScript as Amber does, as far as Refract writes the language, and reports mistakes.

    check_amber.py FILE...

Written from the description of the language, independent of the code that writes the scripts. Tokens are cut
as Amber's reader cuts them: a shader ends at the next "END", wherever it is, and a number without a point is
an integer, whatever follows it. It checks that every statement is complete and has nothing more, that names
are declared once and before their use, that data has the right number of values in the range of their type,
that spirv-as and spirv-val accept each shader, that exactly the resources that a shader declares are bound,
and that expectations are within the object they are about.
Prints a line for each kind of statement. The first mistake is printed as "FILE:LINE: what", with exit code 1.
"""

import os
import re
import subprocess
import sys
import tempfile

FEATURES = set("""
robustBufferAccess imageCubeArray geometryShader tessellationShader sampleRateShading multiViewport
vertexPipelineStoresAndAtomics fragmentStoresAndAtomics shaderImageGatherExtended
shaderStorageImageExtendedFormats shaderStorageImageMultisample shaderStorageImageReadWithoutFormat
shaderStorageImageWriteWithoutFormat shaderUniformBufferArrayDynamicIndexing
shaderSampledImageArrayDynamicIndexing shaderStorageBufferArrayDynamicIndexing
shaderStorageImageArrayDynamicIndexing shaderClipDistance shaderCullDistance shaderFloat64
shaderInt64 shaderInt16 shaderResourceResidency shaderResourceMinLod
VariablePointerFeatures.variablePointers VariablePointerFeatures.variablePointersStorageBuffer
Float16Int8Features.shaderFloat16 Float16Int8Features.shaderInt8
Storage8BitFeatures.storageBuffer8BitAccess Storage8BitFeatures.uniformAndStorageBuffer8BitAccess
Storage8BitFeatures.storagePushConstant8 Storage16BitFeatures.storageBuffer16BitAccess
Storage16BitFeatures.uniformAndStorageBuffer16BitAccess Storage16BitFeatures.storagePushConstant16
Storage16BitFeatures.storageInputOutput16 SubgroupSupportedOperations.basic
SubgroupSupportedOperations.vote SubgroupSupportedOperations.arithmetic
SubgroupSupportedOperations.ballot SubgroupSupportedOperations.shuffle
SubgroupSupportedOperations.shuffleRelative SubgroupSupportedOperations.clustered
SubgroupSupportedOperations.quad SubgroupSupportedStages.fragment SubgroupSupportedStages.compute
""".split())

# The feature or extension that a capability needs; the other supported ones need nothing.
NEEDED = {
    "Float64": "shaderFloat64", "Int64": "shaderInt64", "Int16": "shaderInt16",
    "Float16": "Float16Int8Features.shaderFloat16", "Int8": "Float16Int8Features.shaderInt8",
    "VariablePointers": "VariablePointerFeatures.variablePointers",
    "VariablePointersStorageBuffer": "VariablePointerFeatures.variablePointersStorageBuffer",
    "StorageBuffer16BitAccess": "Storage16BitFeatures.storageBuffer16BitAccess",
    "StorageBuffer8BitAccess": "Storage8BitFeatures.storageBuffer8BitAccess",
    "StorageImageExtendedFormats": "shaderStorageImageExtendedFormats",
    "StorageImageReadWithoutFormat": "shaderStorageImageReadWithoutFormat",
    "StorageImageWriteWithoutFormat": "shaderStorageImageWriteWithoutFormat",
    "ImageGatherExtended": "shaderImageGatherExtended",
    "SampleRateShading": "sampleRateShading",
    "GroupNonUniform": "SubgroupSupportedOperations.basic",
    "GroupNonUniformVote": "SubgroupSupportedOperations.vote",
    "GroupNonUniformArithmetic": "SubgroupSupportedOperations.arithmetic",
    "GroupNonUniformBallot": "SubgroupSupportedOperations.ballot",
    "GroupNonUniformShuffle": "SubgroupSupportedOperations.shuffle",
    "GroupNonUniformShuffleRelative": "SubgroupSupportedOperations.shuffleRelative",
    "GroupNonUniformClustered": "SubgroupSupportedOperations.clustered",
    "GroupNonUniformQuad": "SubgroupSupportedOperations.quad",
}
FREE = {"Shader", "Matrix", "ImageQuery", "DerivativeControl", "Sampled1D", "Image1D",
        "InputAttachment", "SampledBuffer", "ImageBuffer", "DenormPreserve", "DenormFlushToZero",
        "SignedZeroInfNanPreserve", "RoundingModeRTE", "RoundingModeRTZ"}

TYPES = {"uint8": (1, 0, 2**8 - 1), "uint32": (4, 0, 2**32 - 1), "float": (4, None, None)}
VERTEX = "vec4<float>"
FORMAT = re.compile(r"((?:[RGBA]\d+)+)_(UNORM|SNORM|SFLOAT|SINT|UINT)\Z")
BORDERS = [f"{kind}_{colour}" for kind in ("float", "int")
           for colour in ("transparent_black", "opaque_black", "opaque_white")]
WRAP = ("repeat", "mirrored_repeat", "clamp_to_edge", "clamp_to_border", "mirror_clamp_to_edge")
MIRROR_CLAMP = "VK_KHR_sampler_mirror_clamp_to_edge"


class Mistake(Exception):
    pass


class Token:
    """kind: word, int, float, eol, eos."""

    def __init__(self, kind, text="", value=None):
        self.kind, self.text, self.value = kind, text, value


class Reader:
    def __init__(self, text):
        self.text, self.at, self.line = text, 0, 1

    def next(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\r\f\0":
            self.at += 1
        if self.at < len(self.text) and self.text[self.at] == "#":
            while self.at < len(self.text) and self.text[self.at] != "\n":
                self.at += 1
        if self.at >= len(self.text):
            return Token("eos")
        c = self.text[self.at]
        if c == "\n":
            self.at += 1
            self.line += 1
            return Token("eol")
        if c in ",()":
            self.at += 1
            return Token("word", c)
        end = self.at
        while end < len(self.text) and self.text[end] not in " \n(),":
            end += 1
        word = self.text[self.at:end]
        self.at = end
        if not re.match(r"-?\d|\.\d", word):
            return Token("word", word)
        if re.match(r"0x.", word):
            if not re.fullmatch(r"0x[0-9a-fA-F]+", word):
                raise Mistake("no hexadecimal number: " + word)
            return Token("int", word, int(word, 16))
        pattern = r"-?\d*\.?\d+(?:[eE][-+]?\d+)?|-?\d+\." if "." in word else r"-?\d+"
        number = re.match(pattern, word)
        if not number:
            raise Mistake("no number: " + word)
        self.at -= len(word) - number.end()  # the rest is the next token
        kind = "float" if "." in word else "int"
        return Token(kind, number.group(), float(number.group()) if kind == "float"
                     else int(number.group()))

    def to_end(self):
        """The text before the next END, which Amber takes as the shader."""
        end = self.text.find("END", self.at)
        if end < 0:
            raise Mistake("a shader without END")
        taken = self.text[self.at:end]
        self.at = end
        self.line += taken.count("\n")
        return taken


class Script:
    for_suite = False

    def __init__(self, path, text):
        self.path, self.reader = path, Reader(text)
        self.counts = {}
        self.features, self.extensions = set(), set()
        self.shaders, self.buffers, self.samplers, self.pipelines = {}, {}, {}, {}
        self.ran, self.cleared = set(), set()
        self.expected = 0
        if not text.startswith("#!amber\n"):
            raise Mistake("the first line is not #!amber")
        described = re.findall(r"^# Short description: (.*)$", text, re.M)
        if len(described) != 1 or not 0 < len(described[0]) <= 58 or described[0].endswith("."):
            raise Mistake("there is no one short description of at most 58 characters")
        owners = re.findall(r"^.*copyright.*$", text, re.I | re.M)
        if self.for_suite and (len(owners) != 1 or not owners[0].startswith("# Copyright ")):
            raise Mistake("there is no one copyright line")
        if owners and not self.for_suite:
            raise Mistake("somebody's copyright")
        if self.for_suite and re.search(r"[ \t]$| \t|\r", text, re.M):
            raise Mistake("blanks at the end of a line or before a tab, which the suite refuses")

    # --- parts of statements
    def word(self, *choices):
        token = self.reader.next()
        if token.kind != "word" or (choices and token.text not in choices):
            raise Mistake(f"expected {' or '.join(choices) or 'a word'}, not "
                          f"{token.kind} '{token.text}'")
        return token.text

    def integer(self, low=0, high=2**32 - 1):
        token = self.reader.next()
        if token.kind != "int" or not low <= token.value <= high:
            raise Mistake(f"expected an integer from {low} to {high}, not '{token.text}'")
        return token.value

    def number(self):
        token = self.reader.next()
        if token.kind not in ("int", "float"):
            raise Mistake(f"expected a number, not '{token.text}'")
        return float(token.value)

    def end_of_line(self):
        token = self.reader.next()
        if token.kind not in ("eol", "eos"):
            raise Mistake(f"'{token.text}' is too much")

    def new_name(self, table):
        name = self.word()
        if name in table:
            raise Mistake(name + " is declared twice")
        return name

    def known(self, table, what):
        name = self.word()
        if name not in table:
            raise Mistake(f"there is no {what} {name}")
        return name

    def values(self, kinds):
        """Data until END: any number of rounds of `kinds` (name, low, high; None: a float)."""
        count = 0
        while True:
            token = self.reader.next()
            if token.kind == "eol":
                continue
            if token.kind == "word" and token.text == "END":
                break
            low, high = kinds[count % len(kinds)]
            if token.kind not in ("int", "float"):
                raise Mistake(f"no value: '{token.text}'")
            if low is not None and (token.kind != "int" or not low <= token.value <= high):
                raise Mistake(f"{token.text} is no integer from {low} to {high}")
            count += 1
        if count == 0 or count % len(kinds) != 0:
            raise Mistake(f"{count} values are not whole elements")
        return count // len(kinds)

    # --- statements
    def device_feature(self):
        name = self.word()
        if name not in FEATURES or name in self.features:
            raise Mistake(f"feature {name} is unknown or twice")
        self.features.add(name)
        self.end_of_line()

    def device_extension(self):
        name = self.word()
        if not re.fullmatch(r"VK_[A-Z]+_\w+", name) or name in self.extensions:
            raise Mistake(f"extension {name} is none or twice")
        self.extensions.add(name)
        self.end_of_line()

    def device_property(self):
        if not re.fullmatch(r"FloatControlsProperties\.shader(SignedZeroInfNanPreserve|DenormPreserve|"
                            r"DenormFlushToZero|RoundingModeRT[EZ])Float(16|32|64)", self.word()):
            raise Mistake("an unknown property")
        self.end_of_line()

    def shader(self):
        stage = self.word("vertex", "fragment", "compute", "multi")
        name = self.new_name(self.shaders)
        if self.word("PASSTHROUGH", "SPIRV-ASM") == "PASSTHROUGH":
            if stage != "vertex":
                raise Mistake("PASSTHROUGH is for vertex shaders")
            self.shaders[name] = (stage, None)
            return self.end_of_line()
        self.word("TARGET_ENV")
        environment = self.word()
        if not re.fullmatch(r"spv1\.[0-6]", environment):
            raise Mistake("unknown environment " + environment)
        self.end_of_line()
        first = self.reader.line
        text = self.reader.to_end()
        self.word("END")
        self.end_of_line()
        self.shaders[name] = (stage, Module(text, environment, first))

    def buffer(self):
        name = self.new_name(self.buffers)
        if self.word("DATA_TYPE", "FORMAT") == "FORMAT":
            self.buffers[name] = {"kind": "target", "format": self.format()}
            return self.end_of_line()
        kind = self.word(*TYPES, VERTEX)
        size, low, high = TYPES.get(kind, (16, None, None))
        self.word("STD430")
        if self.word("DATA", "SIZE") == "SIZE":
            count = self.integer(1)
            self.word("FILL")
            token = self.reader.next()
            if token.kind not in ("int", "float") or (low is not None and token.kind != "int"):
                raise Mistake(f"{token.text} cannot fill a buffer of {kind}")
        else:
            count = self.values([(low, high)] * (4 if kind == VERTEX else 1))
        self.buffers[name] = {"kind": "buffer", "type": kind, "size": size, "count": count}
        self.end_of_line()

    def format(self):
        name = self.word()
        parts = FORMAT.match(name)
        widths = set(re.findall(r"\d+", parts.group(1))) if parts else set()
        if len(widths) != 1 or not widths <= {"8", "16", "32"}:
            raise Mistake("unknown format " + name)
        return name

    def sampler(self):
        name = self.new_name(self.samplers)
        for key, choices in (("MAG_FILTER", ("nearest", "linear")),
                             ("MIN_FILTER", ("nearest", "linear")), ("ADDRESS_MODE_U", WRAP),
                             ("ADDRESS_MODE_V", WRAP), ("ADDRESS_MODE_W", WRAP)):
            self.word(key)
            mode = self.word(*choices)
        if mode == "mirror_clamp_to_edge" and MIRROR_CLAMP not in self.extensions:
            raise Mistake(f"{mode} needs DEVICE_EXTENSION {MIRROR_CLAMP}")
        if mode == "clamp_to_border":
            self.word("BORDER_COLOR")
            self.word(*BORDERS)
        self.samplers[name] = True
        token = self.reader.next()
        if token.kind == "word" and token.text == "UNNORMALIZED_COORDS":
            if mode not in ("clamp_to_edge", "clamp_to_border"):
                raise Mistake(f"{mode} with UNNORMALIZED_COORDS")
            token = self.reader.next()
        if token.kind not in ("eol", "eos"):
            raise Mistake(f"'{token.text}' is too much")

    def image(self):
        name = self.new_name(self.buffers)
        self.word("FORMAT")
        form = self.format()
        texels = 1
        for key in {"DIM_1D": ("WIDTH",), "DIM_2D": ("WIDTH", "HEIGHT"),
                    "DIM_3D": ("WIDTH", "HEIGHT", "DEPTH")}[self.word("DIM_1D", "DIM_2D", "DIM_3D")]:
            self.word(key)
            texels *= self.integer(1)
        self.word("DATA")
        parts = FORMAT.match(form)
        components = len(re.findall(r"[RGBA]", parts.group(1)))
        width = int(re.findall(r"\d+", parts.group(1))[0])
        bounds = {"UNORM": (0, 2**width - 1), "UINT": (0, 2**width - 1), "SFLOAT": (None, None),
                  "SNORM": (-2**(width - 1), 2**(width - 1) - 1),
                  "SINT": (-2**(width - 1), 2**(width - 1) - 1)}[parts.group(2)]
        if self.values([bounds] * components) != texels:
            raise Mistake("not as many texels as the image has")
        self.buffers[name] = {"kind": "image", "format": form}
        self.end_of_line()

    def pipeline(self):
        kind = self.word("graphics", "compute")
        name = self.new_name(self.pipelines)
        self.end_of_line()
        made = {"kind": kind, "stages": {}, "bound": {}, "colour": {}, "push": None,
                "size": None, "special": {}, "vertices": None, "indices": None}
        while True:
            token = self.reader.next()
            if token.kind == "eol":
                continue
            if token.kind == "word" and token.text == "END":
                break
            if token.kind != "word":
                raise Mistake(f"'{token.text}' in a pipeline")
            if token.text == "ATTACH":
                self.attach(made)
            elif token.text == "FRAMEBUFFER_SIZE":
                made["size"] = (self.integer(1), self.integer(1))
                self.end_of_line()
            elif token.text == "BIND":
                self.bind(made)
            elif token.text == "VERTEX_DATA":
                made["vertices"] = self.vertex_data(VERTEX)
                self.word("LOCATION")
                self.integer(0, 0)
                self.end_of_line()
            elif token.text == "INDEX_DATA":
                made["indices"] = self.vertex_data("uint32")
                self.end_of_line()
            else:
                raise Mistake(f"'{token.text}' in a pipeline")
        self.end_of_line()
        self.check_pipeline(made)
        self.pipelines[name] = made

    def vertex_data(self, kind):
        name = self.known(self.buffers, "buffer")
        if self.buffers[name].get("type") != kind:
            raise Mistake(f"{name} is not of {kind}")
        return self.buffers[name]["count"]

    def attach(self, made):
        name = self.known(self.shaders, "shader")
        stage, module = self.shaders[name]
        entry = "main"
        token = self.reader.next()
        if token.kind == "word" and token.text == "TYPE":
            if stage != "multi":
                raise Mistake("TYPE is for shaders of several stages")
            stage = self.word("vertex", "fragment", "compute")
            token = self.reader.next()
        if token.kind == "word" and token.text == "ENTRY_POINT":
            entry = self.word()
            token = self.reader.next()
        special = made["special"].setdefault(stage, set())
        while token.kind == "word" and token.text == "SPECIALIZE":
            special.add(self.integer())
            self.word("AS")
            self.word("uint32")
            self.integer()
            token = self.reader.next()
        if token.kind != "eol":
            raise Mistake(f"'{token.text}' after ATTACH")
        if stage == "multi" or stage in made["stages"]:
            raise Mistake(f"{name}: which stage it is for is not clear")
        if module and (stage, entry) not in module.entries:
            raise Mistake(f"{name} has no {stage} entry point {entry}")
        made["stages"][stage] = module

    def bind(self, made):
        if self.word("BUFFER", "SAMPLER") == "SAMPLER":
            self.known(self.samplers, "sampler")
            return self.place(made, "sampler")
        name = self.known(self.buffers, "buffer")
        kind = self.buffers[name]["kind"]
        self.word("AS")
        role = self.word("color", "uniform", "storage", "push_constant", "storage_image",
                         "sampled_image", "combined_image_sampler")
        wanted = {"color": "target", "uniform": "buffer", "storage": "buffer",
                  "push_constant": "buffer"}.get(role, "image")
        if kind != wanted:
            raise Mistake(f"{name} is a {kind}, not fit for {role}")
        if role == "color":
            self.word("LOCATION")
            location = self.integer(0, 7)
            if location in made["colour"]:
                raise Mistake("two colour targets at one location")
            made["colour"][location] = name
            return self.end_of_line()
        if role == "push_constant":
            if made["push"]:
                raise Mistake("push constants twice")
            made["push"] = name
            return self.end_of_line()
        if role == "combined_image_sampler":
            self.word("SAMPLER")
            self.known(self.samplers, "sampler")
        self.place(made, role)

    def place(self, made, role):
        self.word("DESCRIPTOR_SET")
        where = (self.integer(0, 31),)
        self.word("BINDING")
        where += (self.integer(0, 65535),)
        if where in made["bound"]:
            raise Mistake(f"two things at set {where[0]}, binding {where[1]}")
        made["bound"][where] = role
        self.end_of_line()

    def check_pipeline(self, made):
        wanted = ["compute"] if made["kind"] == "compute" else ["fragment", "vertex"]
        if sorted(made["stages"]) != wanted:
            raise Mistake(f"a {made['kind']} pipeline of {sorted(made['stages'])}")
        if (made["size"] is None) != (made["kind"] == "compute"):
            raise Mistake("a framebuffer is for graphics pipelines, and they need one")
        modules = {stage: m for stage, m in made["stages"].items() if m}
        if (made["vertices"] is None) != (made["indices"] is None) or \
                (made["vertices"] is None) != ("vertex" not in modules):
            raise Mistake("vertices and indices are for vertex shaders, and they need both")
        for stage, module in modules.items():
            self.check_stage(made, stage, module)
        for where in made["bound"]:
            if not any(where in module.resources for module in modules.values()):
                raise Mistake(f"nothing of a shader is at set {where[0]}, binding {where[1]}")
        stores = {"storage", "storage_image"} & set(made["bound"].values())
        if stores and made["kind"] == "graphics" and \
                "fragmentStoresAndAtomics" not in self.features:
            raise Mistake("a fragment shader with memory without fragmentStoresAndAtomics")

    def check_stage(self, made, stage, module):
        for where, roles in sorted(module.resources.items()):
            if where not in module.used and where not in made["bound"]:
                continue
            if made["bound"].get(where) not in roles:
                raise Mistake(f"set {where[0]}, binding {where[1]} is {made['bound'].get(where)}, "
                              f"the {stage} shader has {' or '.join(roles)} there")
            if stage == "vertex" and "storage" in roles and \
                    "vertexPipelineStoresAndAtomics" not in self.features:
                raise Mistake("a vertex shader with memory without vertexPipelineStoresAndAtomics")
        if module.has_push and not made["push"]:
            raise Mistake("the shader's push constants are not bound")
        if not made["special"].get(stage, set()) <= module.spec_ids:
            raise Mistake("a specialisation constant that the shader has not")
        for capability in module.capabilities:
            if capability in NEEDED and NEEDED[capability] not in self.features:
                raise Mistake(f"capability {capability} without its feature")
            if capability not in NEEDED and capability not in FREE:
                raise Mistake(f"capability {capability}: is it free?")

    def clear_color(self):
        self.graphics()
        for _ in range(4):
            self.integer(0, 255)
        self.end_of_line()

    def graphics(self):
        name = self.known(self.pipelines, "pipeline")
        if self.pipelines[name]["kind"] != "graphics":
            raise Mistake(f"{name} is no graphics pipeline")
        return name

    def clear(self):
        self.cleared.add(self.graphics())
        self.end_of_line()

    def run(self):
        name = self.known(self.pipelines, "pipeline")
        made = self.pipelines[name]
        if made["kind"] == "compute":
            for _ in range(3):
                self.integer(1, 65535)
        else:
            if made["vertices"] is None:
                self.draw_rect(made)
            else:
                self.draw_array(made)
            if name not in self.cleared:
                raise Mistake(f"{name} was not cleared")
        self.ran.add(name)
        self.end_of_line()

    def draw_rect(self, made):
        self.word("DRAW_RECT")
        self.word("POS")
        self.integer(0, 0), self.integer(0, 0)
        self.word("SIZE")
        if (self.integer(1), self.integer(1)) != made["size"]:
            raise Mistake("what is drawn is not the whole frame")

    def draw_array(self, made):
        for word in ("DRAW_ARRAY", "AS", "TRIANGLE_LIST", "INDEXED", "START_IDX"):
            self.word(word)
        self.integer(0, 0)
        self.word("COUNT")
        if self.integer(3) != made["indices"] or made["indices"] % 3 != 0:
            raise Mistake("what is drawn are not all triangles")

    def written(self, name):
        """The size of the output that a pipeline which has run may have written."""
        for pipeline in self.ran:
            made = self.pipelines[pipeline]
            if name in made["colour"].values():
                return made["size"]
        if self.buffers[name]["kind"] == "target":
            raise Mistake(f"{name} was not drawn to")
        return None

    def expect(self):
        name = self.known(self.buffers, "buffer")
        buffer = self.buffers[name]
        size = self.written(name)
        self.expected += 1
        how = self.word("IDX", "EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER")
        if how != "IDX":
            return self.expect_same(buffer, how)
        if size:
            x, y = self.integer(), self.integer()
            self.word("SIZE")
            width, height = self.integer(1), self.integer(1)
            if x + width > size[0] or y + height > size[1]:
                raise Mistake("a pixel outside of the frame")
            self.word("EQ_RGBA")
            for _ in range(4):
                self.integer(0, 255)
            return self.end_of_line()
        if buffer["kind"] != "buffer":
            raise Mistake("values are expected of buffers")
        self.expect_values(buffer)

    def expect_same(self, buffer, how):
        other = self.buffers[self.known(self.buffers, "buffer")]
        self.written(next(n for n, b in self.buffers.items() if b is other))
        if other is buffer or {k: v for k, v in other.items()} != buffer:
            raise Mistake("what is compared is of different kinds, or one and the same")
        if how == "EQ_HISTOGRAM_EMD_BUFFER" and buffer.get("format") != "R8G8B8A8_UNORM":
            raise Mistake("a histogram is of four 8-bit channels")
        if how != "EQ_BUFFER":
            self.word("TOLERANCE")
            if not 0 < self.number() < 256:
                raise Mistake("a tolerance that is none")
        self.end_of_line()

    def expect_values(self, buffer):
        at = self.integer()
        size, low, high = TYPES[buffer["type"]]
        if at % size != 0:
            raise Mistake("an offset inside of an element")
        word = self.word("EQ", "TOLERANCE")
        if word == "TOLERANCE":
            if buffer["type"] != "float" or not 0 < self.number() < 1:
                raise Mistake("a tolerance for what has none")
            self.word("%")
            self.word("EQ")
        count = 0
        while True:
            token = self.reader.next()
            if token.kind in ("eol", "eos"):
                break
            if token.kind == "word" or (low is not None and (
                    token.kind != "int" or not low <= token.value <= high)):
                raise Mistake(f"'{token.text}' is no {buffer['type']}")
            count += 1
        if count == 0 or at // size + count > buffer["count"]:
            raise Mistake("values beyond the end of the buffer, or none")

    def read(self):
        statements = {
            "DEVICE_FEATURE": self.device_feature, "DEVICE_EXTENSION": self.device_extension,
            "DEVICE_PROPERTY": self.device_property, "SHADER": self.shader,
            "BUFFER": self.buffer, "SAMPLER": self.sampler, "IMAGE": self.image,
            "PIPELINE": self.pipeline, "CLEAR_COLOR": self.clear_color, "CLEAR": self.clear,
            "RUN": self.run, "EXPECT": self.expect}
        while True:
            token = self.reader.next()
            if token.kind == "eos":
                break
            if token.kind == "eol":
                continue
            if token.kind != "word" or token.text not in statements:
                raise Mistake(f"'{token.text}' begins no statement")
            self.counts[token.text] = self.counts.get(token.text, 0) + 1
            statements[token.text]()
        if not self.ran or set(self.pipelines) != self.ran:
            raise Mistake("a pipeline that is not run")
        return self.counts


class Module:
    """The declarations in a shader's assembly, read from text that spirv-as and spirv-val accept."""

    MODELS = {"Fragment": "fragment", "GLCompute": "compute", "Vertex": "vertex"}

    def __init__(self, text, environment, line):
        with tempfile.TemporaryDirectory() as folder:
            source, binary = os.path.join(folder, "a.spvasm"), os.path.join(folder, "a.spv")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            for command in (["spirv-as", "--target-env", environment, source, "-o", binary],
                            ["spirv-val", "--target-env", environment, binary]):
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    raise Mistake(f"the shader from line {line} on: {command[0]}: "
                                  f"{(done.stdout + done.stderr).strip()}")
        self.capabilities = re.findall(r"^\s*OpCapability (\w+)", text, re.M)
        self.entries = {(self.MODELS.get(model, model), name) for model, name in re.findall(
            r'^\s*OpEntryPoint (\w+) %\w+ "([^"]*)"', text, re.M)}
        self.has_push = bool(re.search(r"= OpVariable %\w+ PushConstant", text))
        self.spec_ids = {int(n) for n in re.findall(r"OpDecorate %\w+ SpecId (\d+)", text)}
        self.used = set()  # places of resources that a function names
        self.resources = self.find_resources(text)

    def find_resources(self, text):
        defined = {m.group(1): m.group(2).split() for m in re.finditer(
            r"^\s*(%\w+) = (.*)$", text, re.M)}
        sets = dict(re.findall(r"OpDecorate (%\w+) DescriptorSet (\d+)", text))
        bindings = dict(re.findall(r"OpDecorate (%\w+) Binding (\d+)", text))
        old_storage = set(re.findall(r"OpDecorate (%\w+) BufferBlock", text))
        functions = text[text.find("OpFunction "):]
        found = {}
        for variable, words in defined.items():
            if words[0] != "OpVariable" or variable not in bindings:
                continue
            pointee = defined[words[1]][2]
            where = (int(sets.get(variable, 0)), int(bindings[variable]))
            shape = defined[pointee]
            if words[2] == "StorageBuffer" or pointee in old_storage:
                roles = ["storage"]
            elif words[2] == "Uniform":
                roles = ["uniform"]
            elif shape[0] == "OpTypeSampledImage":
                roles = ["combined_image_sampler"]
            elif shape[0] == "OpTypeSampler":
                roles = ["sampler"]
            else:  # OpTypeImage type dim depth arrayed ms sampled format
                roles = ["sampled_image" if shape[6] == "1" else "storage_image"]
            found.setdefault(where, []).extend(roles)
            if re.search(re.escape(variable) + r"\b", functions):
                self.used.add(where)
        return found


def main():
    Script.for_suite = "--cts" in sys.argv  # a test of the conformance suite
    for path in sys.argv[1:]:
        if path == "--cts":
            continue
        with open(path, encoding="ascii") as file:
            text = file.read()
        script = None
        try:
            script = Script(path, text)
            counts = script.read()
        except Mistake as mistake:
            line = script.reader.line if script else 1
            print(f"{path}:{line}: {mistake}")
            return 1
        print(", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
