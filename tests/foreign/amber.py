# SPDX-License-Identifier: Apache-2.0
"""Reads the shaders of an AmberScript, and the buffers of their first pipeline as inputs in the format of
docs/inputs.md. Reads only what these need: SHADER, BUFFER with DATA, and the lines ATTACH and BIND BUFFER of
PIPELINE. Anything else is left out, and its inputs are zero."""
import re

FUNCTIONS = {"float": "f", "double": "d", "int32": "i", "uint32": "ui", "float16": "f16", "int8": "i8",
             "uint8": "ui8", "int16": "i16", "uint16": "ui16", "int64": "i64", "uint64": "ui64"}
STAGES = {"fragment": ".frag", "vertex": ".vert", "compute": ".comp"}
SAMPLER_SIZE = 16  # of the image that replaces the one of the script


class Shader:
    def __init__(self, name, stage, language, version):
        self.name, self.stage, self.language, self.version = name, stage, language, version
        self.lines = []

    def ending(self):
        """The extension of a file with its source; None if the language is not supported."""
        if self.language == "SPIRV-ASM":
            return ".spvasm"
        return STAGES.get(self.stage) if self.language == "GLSL" else None

    def source(self):
        text = "\n".join(self.lines) + "\n"
        version = re.fullmatch(r"spv1\.(\d)", self.version)
        if self.language == "SPIRV-ASM" and version and "; Version:" not in text:
            text = f"; SPIR-V\n; Version: 1.{version[1]}\n" + text
        return text


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return float(text)


def function_of(data_type, count):
    """glUniform... for a BUFFER's DATA_TYPE, and the numbers in an element; None if there is none."""
    matrix = re.fullmatch(r"mat(\d)x(\d)<(\w+)>", data_type)
    vector = re.fullmatch(r"vec(\d)<(\w+)>", data_type)
    many = "v" if count else ""
    if matrix and matrix[3] in ("float", "double", "float16"):
        columns, rows, size = int(matrix[1]), int(matrix[2]), matrix[1] + "x" + matrix[2]
        size = matrix[1] if columns == rows else size
        return f"glUniformMatrix{size}{FUNCTIONS[matrix[3]]}v", columns * rows
    if vector and vector[2] in FUNCTIONS:
        return f"glUniform{vector[1]}{FUNCTIONS[vector[2]]}{many}", int(vector[1])
    return (f"glUniform1{FUNCTIONS[data_type]}{many}", 1) if data_type in FUNCTIONS else None


def value_of(data_type, numbers):
    """The value of a buffer as an entry of shader.json; None if that is not possible."""
    is_array = data_type.endswith("]")
    found = function_of(re.sub(r"\[\d*\]$", "", data_type), is_array)
    if found is None or not numbers or len(numbers) % found[1]:
        return None
    value = {"func": found[0], "args": numbers}
    if is_array:
        value["count"] = len(numbers) // found[1]
    return value


def binding_of(words, buffers):
    """The entry of shader.json for a line BIND BUFFER, or None."""
    name, kind, rest = words[2], words[4], words[5:]
    place = {}
    for word, key in (("DESCRIPTOR_SET", "set"), ("BINDING", "binding")):
        if word in rest:
            place[key] = int(rest[rest.index(word) + 1])
    if kind == "combined_image_sampler" and "binding" in place:
        return {"func": "sampler2D", "texture": "DEFAULT", "size": [SAMPLER_SIZE] * 2, **place}
    value = value_of(*buffers[name]) if name in buffers else None
    if value is None:
        return None
    if kind == "push_constant":
        return {**value, "push_constant": True}
    return {**value, **place} if kind in ("uniform", "storage") and "binding" in place else None


class Script:
    """The shaders, and the inputs of each by name."""

    def __init__(self, text):
        self.shaders, self.inputs = [], {}
        self.buffers, self.attached, self.bound = {}, [], None
        lines = iter(text.splitlines())
        for line in lines:
            words = line.split("#")[0].split()
            if words[:1] == ["SHADER"] and len(words) >= 4 and words[3] != "PASSTHROUGH":
                self.read_shader(words, lines)
            elif words[:1] == ["BUFFER"] and "DATA_TYPE" in words:
                self.read_buffer(words, lines)
            elif words[:1] == ["PIPELINE"]:
                self.attached, self.bound = [], {}
            elif self.bound is not None:
                self.read_pipeline(words)

    def read_shader(self, words, lines):
        version = words[words.index("TARGET_ENV") + 1] if "TARGET_ENV" in words[:-1] else ""
        shader = Shader(words[2], words[1], words[3], version)
        for line in lines:
            if line.strip() == "END":
                break
            shader.lines.append(line)
        self.shaders.append(shader)

    def read_buffer(self, words, lines):
        name, data_type = words[1], words[words.index("DATA_TYPE") + 1]
        if "DATA" not in words:
            return  # SIZE and FILL: zero
        data = words[words.index("DATA") + 1:]  # up to END, on this line or later ones
        while "END" not in data:
            data += next(lines, "END").split("#")[0].split()
        try:
            self.buffers[name] = (data_type, [number(word) for word in data[:data.index("END")]])
        except ValueError:
            pass

    def read_pipeline(self, words):
        if words[:1] == ["ATTACH"] and len(words) > 1:
            self.attached.append(words[1])
        elif words[:2] == ["BIND", "BUFFER"] and len(words) > 4:
            value = binding_of(words, self.buffers)
            if value is not None:
                self.bound[words[2]] = value
        elif words[:1] == ["END"]:
            for name in self.attached:
                self.inputs.setdefault(name, self.bound)
            self.bound = None
