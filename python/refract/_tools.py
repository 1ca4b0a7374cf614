# SPDX-License-Identifier: Apache-2.0
"""Control flow, the list of transformations, and the mutator for other fuzzers."""
import ctypes
import enum
from ctypes import byref, c_size_t, c_void_p
from typing import List, NamedTuple, Optional, Tuple

from . import _abi
from ._abi import check, lib


class FlowMode(enum.IntEnum):
    """How the specification is read where it is unclear (docs/control-flow.md)."""
    STRICT = 0
    LETTER = 1
    SPIRV_VAL = 2
    OLDER = 3


class Transformation(NamedTuple):
    name: str
    family: str
    summary: str


class Mutated(NamedTuple):
    """The parts of a mutated file (docs/mutator.md)."""
    variant: bytes
    original: bytes
    recording: bytes


def version() -> str:
    """The version of the library."""
    return str(lib.refract_version().decode())


def abi() -> int:
    """The ABI number of the library."""
    return int(lib.refract_abi())


def check_flow(binary: bytes, mode: FlowMode = FlowMode.STRICT) -> Tuple[int, str]:
    """Checks the rules of structured control flow in every function of a SPIR-V binary, which need not be valid.
    Returns the number of functions that break a rule, and a line for each."""
    faults, report, message = c_size_t(), c_void_p(), c_void_p()
    check(lib.refract_check_flow(binary, len(binary), mode, byref(faults), byref(report), byref(message)), message)
    return faults.value, _abi.take_text(report)


def transformations() -> List[Transformation]:
    """All transformations (docs/transformations.md)."""
    result = []
    for index in range(lib.refract_transformation_count()):
        one = _abi.new(_abi.Transformation)
        check(lib.refract_transformation_at(index, byref(one)))
        result.append(Transformation(one.name.decode(), one.family.decode(), one.summary.decode()))
    return result


def mutate(data: bytes, seed: int, max_size: int = 1000000, max_steps: int = 0) -> Optional[bytes]:
    """Changes a mutated file, or a SPIR-V binary, by up to `max_steps` more steps (0: 3). None if it is no valid
    module, or if nothing that fits into `max_size` bytes was found."""
    buffer = ctypes.create_string_buffer(data, max(max_size, len(data), 1))
    size = lib.refract_mutate_steps(buffer, len(data), max_size, seed, max_steps)
    return buffer.raw[:size] if size else None


def crossover(first: bytes, second: bytes, seed: int, max_size: int = 1000000,
              max_steps: int = 0) -> Optional[bytes]:
    """Adds functions of the second file, or parts of them, to the first. None as for `mutate`."""
    buffer = ctypes.create_string_buffer(max(max_size, 1))
    size = lib.refract_crossover_steps(first, len(first), second, len(second), buffer, max_size, seed, max_steps)
    return buffer.raw[:size] if size else None


def module_size(data: bytes) -> int:
    """The number of bytes of the module with which a mutated file begins."""
    return int(lib.refract_mutated_module_size(data, len(data)))


def mutated_parts(data: bytes) -> Mutated:
    """The parts of a mutated file. Raises BadInput if it has no trailer or is damaged."""
    parts, message = _abi.new(_abi.Mutated), c_void_p()
    check(lib.refract_mutated_parts(data, len(data), byref(parts), byref(message)), message)
    return Mutated(*[ctypes.string_at(getattr(parts, name), getattr(parts, name + '_size'))
                     for name in ('variant', 'original', 'recording')])
