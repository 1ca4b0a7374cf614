# SPDX-License-Identifier: Apache-2.0
"""Makes a corpus of the shaders in folders: the valid modules, plain and optimised by `refract prepare`, each
with its inputs and an image size of 16 x 16 pixels, in one archive; and a table of the shaders that were left
out, by reason."""
import collections
import concurrent.futures
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile

from amber import Script

ENDINGS = {".frag": ".frag", ".vert": ".vert", ".comp": ".comp", ".spvasm": ".spvasm", ".asm": ".spvasm",
           ".spv": ".spv"}
FORMS = (("", ".spv"), (" -O", ".O.spv"), (" -Os", ".Os.spv"))
PICTURE = {"width": 16, "height": 16}
MODELS = {0: "vertex", 4: "fragment", 5: "compute"}
ENTRY_POINT = 15  # the opcode
TOO_LONG = 124    # exit code of a command that was killed
FAULT = "a fault of refract's own: "


class NothingThere(Exception):
    """The reason why no corpus can be made."""


class Source:
    """A shader file."""

    def __init__(self, name, ending, data, inputs):
        self.name, self.ending, self.data, self.inputs = name, ending, data, inputs


class Made:
    """A module of the corpus; `entry` if it has several entry points."""

    def __init__(self, name, words, inputs, entry):
        self.name, self.words, self.inputs, self.entry = name, words, inputs, entry


def sources_of_file(path, name):
    data = path.read_bytes()
    if path.suffix == ".amber":
        script = Script(data.decode(errors="replace"))
        for shader in script.shaders:
            inputs = json.dumps(script.inputs.get(shader.name, {}))
            yield Source(f"{name}:{shader.name}", shader.ending(), shader.source().encode(), inputs)
        return
    beside = path.with_suffix(".json")
    inputs = beside.read_text(errors="replace") if beside.is_file() else None
    yield Source(name, ENDINGS[path.suffix], data, inputs)


def sources_of(folders):
    """All shaders, in byte order of their paths below the folders, and named after them."""
    for folder in folders:
        root = pathlib.Path(folder)
        if not root.is_dir():
            raise NothingThere(f"{folder}: not a folder")
        files = [path for path in root.rglob("*") if path.suffix in (*ENDINGS, ".amber") and path.is_file()]
        for path in sorted(files, key=lambda path: os.fsencode(path.relative_to(root))):
            yield from sources_of_file(path, f"{root.name}/{path.relative_to(root)}")


def entries_of(words):
    """(model, name) of the entry points."""
    found, at = [], 20
    while at + 4 <= len(words):
        head = struct.unpack_from("<I", words, at)[0]
        if head & 0xffff == ENTRY_POINT:
            name = words[at + 12:at + 4 * (head >> 16)].split(b"\0")[0]
            found.append((struct.unpack_from("<I", words, at + 4)[0], name.decode(errors="replace")))
        at += 4 * max(head >> 16, 1)
    return found


def reason_of(message):
    """An error message without the parts that are specific to one file: the key of the table."""
    text = message.strip().split("\n")[-1]
    text = re.sub(r"^(refract: )?(error: )?", "", text)
    text = re.sub(r"\S*module\.\w+(:\d+)*:? ?(error: )?", "", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|%\w+", "...", text)
    text = re.sub(r"\[[^\]]*\]|\d+", "N", text)
    return text[:110].replace("|", "/")


def with_picture(inputs):
    """The text of shader.json with the size of the image; None if it cannot be read."""
    try:
        parsed = json.loads(inputs or "{}")
        return json.dumps({**parsed, "$framebuffer": {**parsed.get("$framebuffer", {}), **PICTURE}}, indent=1)
    except (ValueError, AttributeError, TypeError):
        return None


class Gatherer:
    def __init__(self, refract, limit):
        self.refract, self.limit = refract, limit

    def run(self, *command):
        """Exit code and last line of the messages. A time-out is also an exit code."""
        try:
            ran = subprocess.run([self.refract, *map(str, command)], stdin=subprocess.DEVNULL, timeout=self.limit,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            return TOO_LONG, f"longer than {self.limit} s"
        errors = [line for line in ran.stderr.split("\n")
                  if line.startswith("refract: error:") or re.match(r"\S+:\d+:\d+: error: ", line)]
        return ran.returncode, (errors or ran.stderr.strip().split("\n"))[0]

    def inputs_for(self, module, source, folder, entry):
        """Inputs that fit the module, and whether they are the source's. If those do not fit, all are
        zero."""
        given = with_picture(source.inputs)
        nothing = with_picture(None)
        if given is None or source.inputs is None:
            return nothing, source.inputs is None
        (folder / "given.json").write_text(given)
        code, _ = self.run("fuzz", module, "-o", folder / "out.spv", "--max-steps", "0", "--seed", "1",
                           "--inputs", folder / "given.json", *entry)
        return (given, True) if code == 0 else (nothing, False)

    def make(self, source):
        """The modules, and a list of reasons why there are none or fewer."""
        if source.ending is None:
            return [], ["an Amber shader in a language that is not read"]
        with tempfile.TemporaryDirectory(prefix="foreign.") as name:
            folder = pathlib.Path(name)
            (folder / "in").mkdir()
            (folder / "in" / ("module" + source.ending)).write_bytes(source.data)
            code, message = self.run("prepare", folder / "in", "-o", folder / "made")
            reasons = [reason_of(message)] if code else []
            if code not in (0, 3):
                reasons = self.make_plain(source, folder, f"prepare ends with {code}")
            made = []
            for form, ending in FORMS:
                module = folder / "made" / ("module" + source.ending + ending)
                if not module.is_file():
                    continue
                more, why = self.of_module(source, form, module, folder)
                made += more
                reasons += why
            return made, reasons

    def make_plain(self, source, folder, why):
        """Adds only the plain module, if the optimiser crashes or takes too long. Returns the reasons."""
        (folder / "made").mkdir(exist_ok=True)
        file = "module" + source.ending
        code, message = self.run("fuzz", folder / "in" / file, "-o", folder / "made" / (file + ".spv"), "--max-steps", "0",
                                 "--seed", "1")
        if code == 0:
            return [f"kept without optimised forms: {why}"]
        if code in (3, TOO_LONG):
            return [reason_of(message)]
        return [f"{FAULT}{source.name}: fuzz ends with {code}: {message}"]

    def of_module(self, source, form, module, folder):
        words, made, reasons = module.read_bytes(), [], []
        entries = entries_of(words)
        if not entries:
            return [], ["no entry point"]
        for model, name in entries:
            if len(entries) > 1 and model not in MODELS:
                continue
            entry = ["--entry", name] if len(entries) > 1 else []
            inputs, are_own = self.inputs_for(module, source, folder, entry)
            if not are_own:
                reasons.append("kept, with zeros for inputs that do not fit")
            made.append(Made(source.name + form, words, inputs, entry[1] if entry else ""))
        return made, reasons


def gather(refract, folders, archive, limit, jobs):
    """Writes the archive: a table of modules, a table of reasons, the modules and their inputs."""
    gatherer = Gatherer(refract, limit)
    sources = list(sources_of(folders))
    reasons, table, seen = collections.Counter(), [], set()
    temporary = archive.with_suffix(".tmp")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, tarfile.open(temporary, "w:xz", preset=6) as out:

        def add(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))

        kept = 0
        for made, why in pool.map(gatherer.make, sources):
            reasons.update(why)
            kept += 1 if made else 0
            for module in made:
                key = hashlib.sha256(b"\0".join([module.words, module.inputs.encode(), module.entry.encode()])).digest()
                if key in seen:
                    reasons["the same module and inputs as another"] += 1
                    continue
                seen.add(key)
                add(f"{len(table)}.spv", module.words)
                add(f"{len(table)}.json", module.inputs.encode())
                table.append({"name": module.name, "words": len(module.words) // 4, "entry": module.entry})
        summary = {"folders": [pathlib.Path(folder).name for folder in folders], "sources": len(sources),
                   "kept": kept, "modules": table, "reasons": reasons.most_common()}
        add("corpus.json", json.dumps(summary, indent=0).encode())
    if not table:
        temporary.unlink()
        raise NothingThere("no valid module in " + ", ".join(map(str, folders)))
    shutil.move(temporary, archive)
