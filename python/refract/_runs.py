# SPDX-License-Identifier: Apache-2.0
"""Interpreted runs and their outputs; comparing images."""
import ctypes
import enum
from ctypes import byref, c_void_p
from typing import Any, List, NamedTuple, Optional, Tuple

from . import _abi
from ._abi import check, lib


class Trap(enum.IntEnum):
    """How a run ended."""
    NONE = 0
    UNDEFINED = 1
    RACE = 2
    LIMIT = 3


class OutputKind(enum.IntEnum):
    TARGET = 0  # a colour target of a fragment shader; `binding` is its location
    BUFFER = 1  # a storage buffer after the run
    IMAGE = 2  # a storage image after the run


class Rule(enum.IntEnum):
    """When two images agree (docs/measurements/images.md)."""
    EXACT = 0
    STABLE = 1
    SPATIAL = 2
    HISTOGRAM = 3


# ImageFormat of SPIR-V: the type of a component in NumPy and the number of components. Packed formats are one word.
_FORMATS = {
    1: ('f4', 4), 2: ('f2', 4), 3: ('f4', 1), 4: ('u1', 4), 5: ('i1', 4), 6: ('f4', 2), 7: ('f2', 2), 8: ('u4', 1),
    9: ('f2', 1), 10: ('u2', 4), 11: ('u4', 1), 12: ('u2', 2), 13: ('u1', 2), 14: ('u2', 1), 15: ('u1', 1),
    16: ('i2', 4), 17: ('i2', 2), 18: ('i1', 2), 19: ('i2', 1), 20: ('i1', 1), 21: ('i4', 4), 22: ('i2', 4),
    23: ('i1', 4), 24: ('i4', 1), 25: ('i4', 2), 26: ('i2', 2), 27: ('i1', 2), 28: ('i2', 1), 29: ('i1', 1),
    30: ('u4', 4), 31: ('u2', 4), 32: ('u1', 4), 33: ('u4', 1), 34: ('u4', 1), 35: ('u4', 2), 36: ('u2', 2),
    37: ('u1', 2), 38: ('u2', 1), 39: ('u1', 1), 40: ('u8', 1), 41: ('i8', 1)
}


class Output(NamedTuple):
    """What a run wrote."""
    kind: OutputKind
    set: int
    binding: int
    format: int  # ImageFormat of SPIR-V; 0 for a buffer
    width: int  # pixels; 0 for a buffer
    height: int
    depth: int
    layers: int
    data: bytes  # a buffer as it is; images by layer, slice and row from the top
    # For each component of a target, byte of a buffer or texel of an image: 0 exact, 1 approximate, 2 undefined.
    shadows: Optional[bytes]  # None: all are exact

    def array(self, dtype: Any = None) -> Any:
        """The data as a NumPy array. An image has the shape (height, width, components), with the slices of all
        layers before it if there are several. A buffer is a vector of bytes, or of `dtype`."""
        import numpy
        if self.format == 0:
            return numpy.frombuffer(self.data, dtype=dtype or numpy.uint8)
        kind, components = _FORMATS[self.format]
        slices = self.layers * self.depth
        shape = (self.height, self.width, components)
        pixels = numpy.frombuffer(self.data, dtype='<' + kind)
        pixels = pixels.reshape(shape if slices <= 1 else (slices, *shape))
        return pixels if dtype is None else pixels.astype(dtype)


class Run:
    """The result of an interpreted run. `Module.interpret` makes it."""

    def __init__(self, pointer: c_void_p):
        self._pointer = pointer

    def __del__(self) -> None:
        lib.refract_run_free(self._pointer)

    @property
    def trap(self) -> Trap:
        return Trap(lib.refract_run_trap(self._pointer))

    @property
    def trap_text(self) -> str:
        """What happened and where: 'OpUDiv %12: division by zero'; '' without a trap."""
        return str(lib.refract_run_trap_text(self._pointer).decode())

    @property
    def defined(self) -> bool:
        """No component of an output is undefined."""
        return bool(lib.refract_run_defined(self._pointer))

    @property
    def exact(self) -> bool:
        """All components of all outputs are exact."""
        return bool(lib.refract_run_exact(self._pointer))

    @property
    def steps(self) -> int:
        """Executed instructions of all invocations."""
        return int(lib.refract_run_steps(self._pointer))

    @property
    def outputs(self) -> List[Output]:
        """First the colour targets by location, then buffers, then images."""
        outputs = []
        for index in range(lib.refract_run_output_count(self._pointer)):
            one = _abi.new(_abi.Output)
            check(lib.refract_run_output(self._pointer, index, byref(one)))
            shadows = ctypes.string_at(one.shadows, one.shadow_count) if one.shadows else None
            outputs.append(Output(OutputKind(one.kind), one.set, one.binding, one.format, one.width, one.height,
                                  one.depth, one.layers, ctypes.string_at(one.bytes, one.size) if one.size else b'',
                                  shadows))
        return outputs


class Comparison(NamedTuple):
    """The measures of two images."""
    agree: bool
    max: int  # largest difference in a channel, 0 to 255
    pixels: int  # pixels that differ at all
    pixels_over_1: int  # pixels with a channel that differs by more than 1 level
    region: int  # pixels of the largest 8-connected region of differing pixels
    emd: float  # earth mover's distance of the histograms, 0 to 255/256
    rmse: float  # root of the mean squared difference, 0 to 255
    chi2: float  # chi-square distance of the histograms, 0 to 1


def _image(pixels: Any) -> Tuple[Any, bytes]:
    view = memoryview(pixels)
    shape = view.shape or ()
    if len(shape) != 3 or shape[2] != 4 or view.itemsize != 1:
        raise _abi.BadArgument(f'an image has the shape (height, width, 4) and bytes, not {shape} of '
                               f"'{view.format}'")
    data = view.tobytes()
    address = ctypes.cast(ctypes.c_char_p(data), c_void_p)
    return _abi.new(_abi.Image, pixels=address, width=shape[1], height=shape[0]), data


def compare_images(a: Any, b: Any, rule: Rule = Rule.EXACT) -> Comparison:
    """Compares two images: NumPy arrays of the shape (height, width, 4) and type uint8, or anything else with such a
    buffer, as memoryview(data).cast('B', (height, width, 4)). Images of different sizes never agree."""
    (first, _keep_a), (second, _keep_b) = _image(a), _image(b)
    result, message = _abi.new(_abi.Comparison), c_void_p()
    check(lib.refract_compare_images(byref(first), byref(second), rule, byref(result), byref(message)), message)
    return Comparison(bool(result.agree), result.max, result.pixels, result.pixels_over_1, result.region, result.emd,
                      result.rmse, result.chi2)
