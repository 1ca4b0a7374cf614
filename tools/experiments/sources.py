# SPDX-License-Identifier: Apache-2.0
"""The sources of tests that the experiments compare. A source makes one test from a seed: a module with inputs, and
for most sources the reference of which it is a variant."""
import dataclasses
import json
import pathlib
import struct

# Transformations that need no fact, donor, new function or dead code.
SIMPLE = "control,control_flow,value,composite"

# The options of `refract fuzz`. {donors} is the folder of references, as for spirv-fuzz.
VARIANTS = {
    "Refract": ["--donors", "{donors}"],
    "Refract, no recommendations": ["--donors", "{donors}", "--no-recommendations"],
    "Refract, no donors": [],
    "Refract, no swarm": ["--donors", "{donors}", "--all-passes"],
    "Refract, no swarm, no recommendations": ["--donors", "{donors}", "--all-passes", "--no-recommendations"],
    "Refract, simple": ["--passes", SIMPLE],
}
# The options of spirv-fuzz. Its default strategy, looped, uses recommendations.
PEERS = {
    "spirv-fuzz": [],
    "spirv-fuzz-simple": ["--repeated-pass-strategy=simple"],
}
PROGRAMS = {
    "fleshing": ["flesh", "--blocks", "{blocks}", "--count", "1"],
    "generator": ["generate"],
}
NAMES = [*VARIANTS, *PEERS, *PROGRAMS]


@dataclasses.dataclass
class Test:
    """A test that a source makes: `command` writes `module`. Programs have no reference."""
    command: list
    module: pathlib.Path
    inputs: pathlib.Path
    reference: pathlib.Path = None

    def recording(self):
        """The file of the steps, or None for programs. Both fuzzers write it beside the variant."""
        for suffix in (".refract", ".transformations"):
            if self.reference and self.module.with_suffix(suffix).exists():
                return self.module.with_suffix(suffix)
        return None


def facts_of(inputs):
    """The values of the inputs as facts of spirv-fuzz. `refract prepare` puts the uniforms of a shader into one
    block, in set 0 and binding 0, in the order of its inputs file."""
    facts = []
    values = [value for name, value in json.loads(inputs.read_text()).items() if not name.startswith("$")]
    for member, value in enumerate(values):
        if "args" not in value:  # it is no uniform, such as an image
            return {"fact": []}
        arguments = value["args"]
        for component, number in enumerate(arguments):
            index = [member] if len(arguments) == 1 else [member, component]
            facts.append({"constantUniformFact": {
                "uniformBufferElementDescriptor": {"descriptorSet": 0, "binding": 0, "index": index},
                "constantWord": [word_of(number)]}})
    return {"fact": facts}


def word_of(number):
    """The 32 bits of a number of an inputs file: a float has a point there."""
    if isinstance(number, float):
        return struct.unpack("<I", struct.pack("<f", number))[0]
    return number & 0xFFFFFFFF


def prepare_peer(references, folder):
    """Writes what spirv-fuzz wants: a list of donors, and each reference with its facts in one folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for reference in references:
        copy = folder / reference.name
        copy.write_bytes(reference.read_bytes())
        inputs = reference.with_suffix(".json")
        facts = facts_of(inputs) if inputs.exists() else {"fact": []}
        copy.with_suffix(".facts").write_text(json.dumps(facts))
    (folder / "donors.txt").write_text("".join(f"{folder / reference.name}\n" for reference in references))


def make_test(given, source, reference, seed, folder):
    """The test of a source with this seed, to be made in a folder. Nothing runs yet."""
    module = folder / "test.spv"
    if source in VARIANTS:
        options = [word.format(donors=given.references) for word in VARIANTS[source]]
        return Test([given.refract, "fuzz", reference, "-o", module, "--seed", seed, "--quiet", *options], module,
                    reference.with_suffix(".json"), reference)
    if source in PEERS:
        peer = given.state / "peer"
        return Test([given.spirv_fuzz, peer / reference.name, "-o", module, f"--donors={peer / 'donors.txt'}",
                     f"--seed={seed}", *PEERS[source]], module, reference.with_suffix(".json"), reference)
    words = [word.format(blocks=6 + seed % 20) for word in PROGRAMS[source]]
    if source == "fleshing":  # it names the programs in the folder
        return Test([given.refract, *words, "--seed", seed, "-o", folder, "--quiet"],
                    folder / "program_000001.spv", folder / "program_000001.json")
    return Test([given.refract, *words, "--seed", seed, "-o", module, "--quiet"], module,
                module.with_suffix(".json"))
