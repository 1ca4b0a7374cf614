# SPDX-License-Identifier: Apache-2.0
"""Modules and variants: load, fuzz, replay, reduce."""
import ctypes
import enum
import json
import os
from ctypes import byref, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi
from ._abi import check, encoded, lib
from ._runs import Run

Inputs = Union[str, dict, None]
Interesting = Callable[['Candidate'], bool]


class Divergence(enum.IntEnum):
    """For which invocations a value is the same (docs/divergence.md)."""
    CONSTANT = 0
    DRAW = 1
    WORKGROUP = 2
    SUBGROUP = 3
    QUAD = 4
    DIVERGENT = 5


class Candidate(NamedTuple):
    """A module that a reduction asks about."""
    binary: bytes
    inputs: Optional[str]  # the text of shader.json


class Reduction(NamedTuple):
    """The result of a reduction in numbers."""
    tries: int  # calls of the interestingness test that the result is based on
    instructions: int  # the size of the difference between original and variant
    steps: int  # steps that remain
    minimal: bool  # without any one of the steps, the variant is not interesting
    original_interesting: bool


def _words(function: Callable[..., Any], pointer: c_void_p) -> bytes:
    count = c_size_t()
    address = function(pointer, byref(count))
    return ctypes.string_at(address, 4 * count.value)


class Variant:
    """A variant with its recording. `Module` makes variants."""

    def __init__(self, pointer: c_void_p):
        self._pointer = pointer

    def __del__(self) -> None:
        lib.refract_variant_free(self._pointer)

    @property
    def binary(self) -> bytes:
        """The SPIR-V binary."""
        return _words(lib.refract_variant_words, self._pointer)

    @property
    def recording(self) -> bytes:
        """The bytes of a .refract file."""
        size = c_size_t()
        return ctypes.string_at(lib.refract_variant_recording(self._pointer, byref(size)), size.value)

    @property
    def inputs(self) -> Optional[str]:
        """The text of shader.json for the variant; None if it has no inputs."""
        text = lib.refract_variant_inputs(self._pointer)
        return None if text is None else text.decode()

    @property
    def steps(self) -> int:
        """The number of applied steps."""
        return int(lib.refract_variant_steps(self._pointer))

    @property
    def skipped(self) -> int:
        """The number of steps that a replay skipped, because their check failed."""
        return int(lib.refract_variant_skipped(self._pointer))


class Module:
    """A valid module with its inputs. It does not change."""

    _pointer = c_void_p()  # until the module is loaded

    def __init__(self, binary: bytes, *, inputs: Inputs = None, name: Optional[str] = None,
                 entry: Optional[str] = None, environment: Optional[str] = None, latest_shapes: bool = False,
                 validator_seconds: int = 0):
        """Reads and validates a SPIR-V binary. `inputs`: the text of shader.json (docs/inputs.md), or its object.
        `name`: what errors call the module. `entry`: the entry point under test; default: the only one.
        `environment`: such as 'vulkan1.1'; default: fits the SPIR-V version. `validator_seconds`: 0, or the time
        limit of spirv-val, which then runs in a process of its own. Raises BadInput and BadArgument."""
        text = json.dumps(inputs) if isinstance(inputs, dict) else inputs
        options = _abi.new(_abi.ModuleOptions, name=encoded(name), inputs=encoded(text), entry=encoded(entry),
                           environment=encoded(environment), latest_shapes=latest_shapes,
                           validator_seconds=validator_seconds)
        self._pointer, message = c_void_p(), c_void_p()
        data = bytes(binary)
        check(lib.refract_module_load(data, len(data), byref(options), byref(self._pointer), byref(message)), message)

    @classmethod
    def read(cls, path: Union[str, 'os.PathLike[str]'], **options: Any) -> 'Module':
        """Reads a .spv file, and its inputs from the file of the same name with the ending .json, if it exists."""
        file = Path(path)
        companion = file.with_suffix('.json')
        if 'inputs' not in options and companion.exists():
            options['inputs'] = companion.read_text()
        options.setdefault('name', str(file))
        return cls(file.read_bytes(), **options)

    def __del__(self) -> None:
        lib.refract_module_free(self._pointer)

    @property
    def binary(self) -> bytes:
        """The SPIR-V binary."""
        return _words(lib.refract_module_words, self._pointer)

    @property
    def entry(self) -> str:
        """The entry point under test; '' for a module without entry points."""
        return str(lib.refract_module_entry(self._pointer).decode())

    @property
    def environment(self) -> str:
        """The environment for which the module is valid, such as 'vulkan1.1'."""
        return str(lib.refract_module_environment(self._pointer).decode())

    def fuzz(self, seed: int = 0, *, max_steps: int = 0, max_words: int = 0, passes: Sequence[str] = (),
             donors: Sequence['Module'] = (), all_passes: bool = False, self_check: bool = False,
             execution_facts: bool = False, float_identities: bool = False, validate: bool = True) -> Variant:
        """Makes a variant, as `refract fuzz` does. 0 means the default: 2000 steps, and 16 times the words of the
        original. `passes`: names of transformations or families; default: a random subset."""
        names = (ctypes.c_char_p * len(passes))(*[name.encode() for name in passes])
        modules = (c_void_p * len(donors))(*[donor._pointer.value for donor in donors])
        flags = (1 * all_passes + 2 * self_check + 4 * execution_facts + 8 * float_identities + 16 * (not validate))
        options = _abi.new(_abi.FuzzOptions, seed=seed, max_words=max_words, max_steps=max_steps, flags=flags,
                           passes=names if passes else None, pass_count=len(passes),
                           donors=modules if donors else None, donor_count=len(donors))
        variant, message = c_void_p(), c_void_p()
        check(lib.refract_fuzz(self._pointer, byref(options), byref(variant), byref(message)), message)
        return Variant(variant)

    def replay(self, recording: bytes, *, steps: Optional[Iterable[int]] = None, first: int = 0,
               force: bool = False) -> Variant:
        """Applies the steps of a recording, or those with the numbers in `steps`, or those up to `first` (0: all).
        The module must be the original of the recording, unless `force`."""
        numbers = [] if steps is None else list(steps)
        if steps is not None and not numbers:
            raise _abi.BadArgument('steps has no step; None stands for all')
        options = _abi.new(_abi.ReplayOptions, steps=(c_uint32 * len(numbers))(*numbers) if numbers else None,
                           step_count=len(numbers), first=first, force=force)
        variant, message = c_void_p(), c_void_p()
        check(lib.refract_replay(self._pointer, recording, len(recording), byref(options), byref(variant),
                                 byref(message)), message)
        return Variant(variant)

    def reduce(self, recording: bytes, test: Interesting, *, jobs: int = 1,
               shrink: bool = True) -> Tuple[Variant, Reduction]:
        """Finds the few steps with which the variant is still interesting (docs/reducing.md). `test` gets a candidate
        and is called in threads of the library, at most `jobs` at a time. If it raises an exception, the reduction
        ends with this exception. Raises NotInteresting if `test` refuses the variant itself."""
        raised: List[BaseException] = []

        def ask(_user: Any, pointer: Any) -> int:
            try:
                candidate = pointer.contents
                binary = ctypes.string_at(candidate.words, 4 * candidate.word_count)
                inputs = None if candidate.inputs is None else candidate.inputs.decode()
                return 1 if test(Candidate(binary, inputs)) else 0
            except BaseException as exception:  # also KeyboardInterrupt: it must not cross the interface
                raised.append(exception)
                return -1

        options = _abi.new(_abi.ReduceOptions, jobs=jobs, no_shrink=not shrink)
        result = _abi.new(_abi.Reduction)
        variant, message = c_void_p(), c_void_p()
        status = lib.refract_reduce(self._pointer, recording, len(recording), byref(options),
                                    _abi.Interesting(ask), None, byref(variant), byref(result), byref(message))
        made = Variant(variant)
        if raised:
            _abi.take_text(message)
            raise raised[0]
        check(status, message)
        return made, Reduction(result.tries, result.instructions, result.steps, bool(result.minimal),
                               bool(result.original_interesting))

    def interpret(self, **options: int) -> Run:
        """Runs the entry point on the inputs (docs/interpreter.md). A trap is a result, not an error. `options` are
        the fields of refract_run_options: max_steps, max_memory, shuffle_seed, perturb_seed, subgroup_size, seconds,
        zero_inputs."""
        run, message = c_void_p(), c_void_p()
        given = _abi.new(_abi.RunOptions, **options)
        check(lib.refract_interpret(self._pointer, byref(given), byref(run), byref(message)), message)
        return Run(run)

    def divergence(self, result_id: int) -> Divergence:
        """The divergence of a value, or of the control flow that enters a block, for the id of its label."""
        divergence, message = c_int32(), c_void_p()
        check(lib.refract_divergence_of(self._pointer, result_id, byref(divergence), byref(message)), message)
        return Divergence(divergence.value)


def validate(binary: bytes, environment: Optional[str] = None) -> None:
    """Validates a SPIR-V binary with spirv-val. Raises BadInput if it is invalid."""
    message = c_void_p()
    check(lib.refract_validate(binary, len(binary), encoded(environment), byref(message)), message)
