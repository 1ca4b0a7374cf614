# SPDX-License-Identifier: Apache-2.0
"""Refract changes SPIR-V modules without changing what they compute, and reduces what fails.

    import refract
    module = refract.Module.read('shader.spv')           # with shader.json, if there is one
    variant = module.fuzz(seed=10, max_steps=80)
    assert crashes(variant.binary)
    small, reduction = module.reduce(variant.recording, lambda candidate: crashes(candidate.binary))

These are the functions of the C interface (docs/library.md, include/refract/refract.h) as classes. Errors are the
exceptions under `Error`. A call does not hold the lock of the interpreter of Python, so threads run at the same time.
The package needs NumPy only for `Output.array`. The same arguments and version give the same bytes on every machine.
"""
from ._abi import BadArgument, BadInput, Error, Fault, NotInteresting, Stopped, Unavailable
from ._modules import Candidate, Divergence, Module, Reduction, Variant, validate
from ._runs import Comparison, Output, OutputKind, Rule, Run, Trap, compare_images
from ._tools import (FlowMode, Mutated, Transformation, abi, check_flow, crossover, module_size, mutate, mutated_parts,
                     transformations, version)

__all__ = [
    'BadArgument', 'BadInput', 'Candidate', 'Comparison', 'Divergence', 'Error', 'Fault', 'FlowMode', 'Module',
    'Mutated', 'NotInteresting', 'Output', 'OutputKind', 'Reduction', 'Rule', 'Run', 'Stopped', 'Transformation',
    'Trap', 'Unavailable', 'Variant', 'abi', 'check_flow', 'compare_images', 'crossover', 'module_size', 'mutate',
    'mutated_parts', 'transformations', 'validate', 'version'
]
