# SPDX-License-Identifier: Apache-2.0
"""The C interface of include/refract/refract.h as ctypes sees it: structs, functions, errors.

`FUNCTIONS` has a line for each function of the header, and a test compares the two. The library is the file that the
environment variable REFRACT_LIBRARY names, or else librefract.so.1 where the dynamic linker finds it.
"""
import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Optional, Tuple, Type

ABI = 1


def _struct(name: str, *fields: Tuple[str, Any]) -> Type[ctypes.Structure]:
    """A struct whose first field is its size, which `new` sets."""
    return type(name, (ctypes.Structure,), {'_fields_': [('struct_size', c_size_t), *fields]})


def new(struct: Type[ctypes.Structure], **fields: Any) -> Any:
    """A struct with all defaults, except for `fields`."""
    return struct(struct_size=ctypes.sizeof(struct), **fields)


ModuleOptions = _struct('ModuleOptions', ('name', c_char_p), ('inputs', c_char_p), ('entry', c_char_p),
                        ('environment', c_char_p), ('latest_shapes', c_uint32), ('validator_seconds', c_uint32))
FuzzOptions = _struct('FuzzOptions', ('seed', c_uint64), ('max_words', c_uint64), ('max_steps', c_uint32),
                      ('flags', c_uint32), ('passes', POINTER(c_char_p)), ('pass_count', c_size_t),
                      ('donors', POINTER(c_void_p)), ('donor_count', c_size_t))
ReplayOptions = _struct('ReplayOptions', ('steps', POINTER(c_uint32)), ('step_count', c_size_t),
                        ('first', c_uint32), ('force', c_uint32))
Candidate = _struct('Candidate', ('words', POINTER(c_uint32)), ('word_count', c_size_t), ('inputs', c_char_p))
ReduceOptions = _struct('ReduceOptions', ('jobs', c_uint32), ('no_shrink', c_uint32))
Reduction = _struct('Reduction', ('tries', c_uint64), ('instructions', c_uint64), ('steps', c_uint32),
                    ('minimal', c_uint32), ('original_interesting', c_uint32))
RunOptions = _struct('RunOptions', ('max_steps', c_uint64), ('max_memory', c_uint64), ('shuffle_seed', c_uint64),
                     ('perturb_seed', c_uint64), ('subgroup_size', c_uint32), ('seconds', c_uint32),
                     ('zero_inputs', c_uint32))
Output = _struct('Output', ('kind', c_int32), ('set', c_uint32), ('binding', c_uint32), ('format', c_uint32),
                 ('width', c_uint32), ('height', c_uint32), ('depth', c_uint32), ('layers', c_uint32),
                 ('bytes', c_void_p), ('size', c_size_t), ('shadows', c_void_p), ('shadow_count', c_size_t))
Image = _struct('Image', ('pixels', c_void_p), ('width', c_uint32), ('height', c_uint32))
Comparison = _struct('Comparison', ('agree', c_uint32), ('max', c_uint32), ('pixels', c_uint64),
                     ('pixels_over_1', c_uint64), ('region', c_uint64), ('emd', c_double), ('rmse', c_double),
                     ('chi2', c_double))
Transformation = _struct('Transformation', ('name', c_char_p), ('family', c_char_p), ('summary', c_char_p))
Mutated = _struct('Mutated', ('variant', c_void_p), ('variant_size', c_size_t), ('original', c_void_p),
                  ('original_size', c_size_t), ('recording', c_void_p), ('recording_size', c_size_t))

Interesting = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Candidate))

# Objects and texts are addresses: ctypes would turn a char* into bytes that could no longer be freed.
_OBJECT, _OUT, _MESSAGE, _STATUS = c_void_p, POINTER(c_void_p), POINTER(c_void_p), c_int32
FUNCTIONS = {
    'refract_version': (c_char_p,),
    'refract_abi': (c_uint32,),
    'refract_status_name': (c_char_p, _STATUS),
    'refract_text_free': (None, c_void_p),
    'refract_module_load': (_STATUS, c_char_p, c_size_t, POINTER(ModuleOptions), _OUT, _MESSAGE),
    'refract_module_free': (None, _OBJECT),
    'refract_module_words': (c_void_p, _OBJECT, POINTER(c_size_t)),
    'refract_module_entry': (c_char_p, _OBJECT),
    'refract_module_environment': (c_char_p, _OBJECT),
    'refract_validate': (_STATUS, c_char_p, c_size_t, c_char_p, _MESSAGE),
    'refract_fuzz': (_STATUS, _OBJECT, POINTER(FuzzOptions), _OUT, _MESSAGE),
    'refract_replay': (_STATUS, _OBJECT, c_char_p, c_size_t, POINTER(ReplayOptions), _OUT, _MESSAGE),
    'refract_reduce': (_STATUS, _OBJECT, c_char_p, c_size_t, POINTER(ReduceOptions), Interesting, c_void_p, _OUT,
                       POINTER(Reduction), _MESSAGE),
    'refract_variant_free': (None, _OBJECT),
    'refract_variant_words': (c_void_p, _OBJECT, POINTER(c_size_t)),
    'refract_variant_recording': (c_void_p, _OBJECT, POINTER(c_size_t)),
    'refract_variant_inputs': (c_char_p, _OBJECT),
    'refract_variant_steps': (c_size_t, _OBJECT),
    'refract_variant_skipped': (c_size_t, _OBJECT),
    'refract_interpret': (_STATUS, _OBJECT, POINTER(RunOptions), _OUT, _MESSAGE),
    'refract_run_free': (None, _OBJECT),
    'refract_run_trap': (c_int32, _OBJECT),
    'refract_run_trap_text': (c_char_p, _OBJECT),
    'refract_run_defined': (c_int, _OBJECT),
    'refract_run_exact': (c_int, _OBJECT),
    'refract_run_steps': (c_uint64, _OBJECT),
    'refract_run_output_count': (c_size_t, _OBJECT),
    'refract_run_output': (_STATUS, _OBJECT, c_size_t, POINTER(Output)),
    'refract_compare_images': (_STATUS, POINTER(Image), POINTER(Image), c_int32, POINTER(Comparison), _MESSAGE),
    'refract_divergence_of': (_STATUS, _OBJECT, c_uint32, POINTER(c_int32), _MESSAGE),
    'refract_check_flow': (_STATUS, c_char_p, c_size_t, c_int32, POINTER(c_size_t), POINTER(c_void_p), _MESSAGE),
    'refract_transformation_count': (c_size_t,),
    'refract_transformation_at': (_STATUS, c_size_t, POINTER(Transformation)),
    'refract_mutate': (c_size_t, c_char_p, c_size_t, c_size_t, c_uint32),
    'refract_crossover': (c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, c_uint32),
    'refract_mutate_steps': (c_size_t, c_char_p, c_size_t, c_size_t, c_uint32, c_uint32),
    'refract_crossover_steps': (c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, c_uint32,
                                c_uint32),
    'refract_mutated_module_size': (c_size_t, c_char_p, c_size_t),
    'refract_mutated_parts': (_STATUS, c_char_p, c_size_t, POINTER(Mutated), _MESSAGE),
}


def _load() -> ctypes.CDLL:
    path = os.environ.get('REFRACT_LIBRARY') or f'librefract.so.{ABI}'
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f'{error}; install the library of Refract, or set REFRACT_LIBRARY to the path of '
                          'librefract.so') from None
    for name, (result, *arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f'{path} has no function {name}; install the library of the version of this package, or '
                              'set REFRACT_LIBRARY to its path') from None
        function.restype, function.argtypes = result, arguments
    if library.refract_abi() != ABI:
        raise ImportError(f'{path} has the ABI {library.refract_abi()}, and this package needs {ABI}')
    return library


lib: Any = _load()


class Error(Exception):
    """What the library refuses or cannot do. The text names the place."""


class BadInput(Error, ValueError):
    """A module, recording or inputs that cannot be read or are invalid."""


class BadArgument(Error, ValueError):
    """A size or an option that makes no sense."""


class Unavailable(Error):
    """Valid, but not supported: the text names what."""


class Fault(Error, RuntimeError):
    """A fault of Refract, or no memory."""


class NotInteresting(Error):
    """The interestingness test refuses the variant itself."""


class Stopped(Error):
    """A callback ended the work."""


_ERRORS = {1: BadInput, 2: BadArgument, 3: Unavailable, 4: Fault, 5: NotInteresting, 6: Stopped}


def take_text(address: c_void_p) -> str:
    """Copies and frees a text that the library gave."""
    if not address.value:
        return ''
    text = ctypes.string_at(address.value).decode(errors='replace')
    lib.refract_text_free(address)
    return text


def check(status: int, message: Optional[c_void_p] = None) -> None:
    """Raises the error of `status`, with the text of the library."""
    text = take_text(message) if message is not None else ''
    if status != 0:
        raise _ERRORS.get(status, Error)(text or lib.refract_status_name(status).decode())


def encoded(text: Optional[str]) -> Optional[bytes]:
    """A text as the library expects it; None stays None, which is the default."""
    return None if text is None else text.encode()
