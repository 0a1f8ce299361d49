# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The values that each kind of argument accepts, and those that it refuses.

``KINDS`` is tested with every argument in ``accepted_arguments.py``. Run as a program, this writes
the tables of docs/accepted-arguments.md.
"""

import array
import ctypes
import enum
import fractions
import pathlib
from typing import NamedTuple

import numpy as np
import tensorrt as trt


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2
    THREE = 3


class Bits(enum.IntFlag):
    FIRST = 1
    SECOND = 2


class Index:
    """An integer that is not an int."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Arrayed:
    """Numbers in a class that is not NumPy's."""

    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2], dtype or np.int64)


class Kind(NamedTuple):
    """The values of a kind. accepted: {label: value}; refused: {label: (value, error)}."""

    title: str
    means: object  # what every accepted value is equal to
    accepted: dict
    refused: dict


def strided(values):
    """The values as every other element of a longer array."""
    return np.repeat(np.asarray(values), 2)[::2]


SHAPE = Kind(
    "a shape",
    (2, 3),
    {
        "tuple": (2, 3),
        "list": [2, 3],
        "range": range(2, 4),
        "Dims": trt.Dims((2, 3)),
        "DimsHW": trt.DimsHW(2, 3),
        "numpy.ndarray of integers": np.array([2, 3]),
        "strided numpy.ndarray": strided([2, 3]),
        "uint8 numpy.ndarray": np.array([2, 3], np.uint8),
        "tuple of NumPy integers": (np.int64(2), np.int32(3)),
        "list of int enum members": [Number.TWO, Number.THREE],
        "tuple with an int flag": (2, Bits.FIRST | Bits.SECOND),
        "array.array": array.array("q", [2, 3]),
        "memoryview of integers": memoryview(array.array("i", [2, 3])),
    },
    {
        "int": (2, TypeError),
        "float elements": ((2.0, 3.0), TypeError),
        "numpy.ndarray of floats": (np.array([2.0, 3.0]), TypeError),
        "numpy.ndarray of 2 dimensions": (np.array([[2, 3]]), TypeError),
        "numpy.ndarray without dimensions": (np.array(2), TypeError),
        "str": ("23", TypeError),
        "bytes": (b"\2\3", TypeError),
        "None": (None, TypeError),
        "set": ({2, 3}, TypeError),
        "9 elements": (range(9), ValueError),
    },
)

PERMUTATION = Kind(
    "a permutation",
    (1, 0),
    {
        "tuple": (1, 0),
        "list": [1, 0],
        "range": range(1, -1, -1),
        "Permutation": trt.Permutation([1, 0]),
        "numpy.ndarray of integers": np.array([1, 0]),
        "tuple of NumPy integers": (np.int64(1), np.uint8(0)),
        "bool elements": (True, False),
    },
    {
        "int": (1, TypeError),
        "float elements": ((1.0, 0.0), TypeError),
        "str": ("10", TypeError),
        "None": (None, TypeError),
        "9 elements": (range(9), ValueError),
    },
)

INTEGERS = Kind(
    "a list of integers",
    [2, 3],
    {
        "tuple": (2, 3),
        "list": [2, 3],
        "range": range(2, 4),
        "numpy.ndarray of integers": np.array([2, 3]),
        "int32 numpy.ndarray": np.array([2, 3], np.int32),
        "tuple of NumPy integers": (np.int64(2), np.int32(3)),
        "Dims": trt.Dims((2, 3)),
        "list of int enum members": [Number.TWO, Number.THREE],
    },
    {
        "int": (2, TypeError),
        "float elements": ((2.0, 3.0), TypeError),
        "str": ("23", TypeError),
        "None": (None, TypeError),
    },
)

INTEGER = Kind(
    "an integer",
    3,
    {
        "int": 3,
        "NumPy integer": np.int64(3),
        "uint8 NumPy integer": np.uint8(3),
        "numpy.ndarray without dimensions": np.array(3),
        "int enum member": Number.THREE,
        "int flag": Bits.FIRST | Bits.SECOND,
        "object with __index__": Index(3),
    },
    {
        "float": (3.0, TypeError),
        "str": ("3", TypeError),
        "list": ([3], TypeError),
        "None": (None, TypeError),
        "too large": (2**64, TypeError),
    },
)

MASK = Kind(
    "a mask of bits",
    2,
    {
        "int": 1 << 1,
        "NumPy integer": np.uint32(2),
        "int enum member": Number.TWO,
        "int flag": Bits.SECOND,
        "object with __index__": Index(2),
    },
    {
        "negative": (-1, TypeError),
        "float": (2.0, TypeError),
        "list of bits": ([1], TypeError),
        "None": (None, TypeError),
    },
)

_MEMORY = np.zeros(64)  # real memory: contexts check addresses
_ADDRESS = _MEMORY.ctypes.data
ADDRESS = Kind(
    "an address, a stream or an event",
    _ADDRESS,
    {
        "int": _ADDRESS,
        "NumPy integer": np.int64(_ADDRESS),
        "numpy.uintp": np.uintp(_ADDRESS),
        "value of a ctypes pointer": ctypes.c_void_p(_ADDRESS).value,
        "object with __int__": fractions.Fraction(_ADDRESS),
    },
    {
        "ctypes pointer": (ctypes.c_void_p(_ADDRESS), TypeError),
        "float": (float(_ADDRESS), TypeError),
        "negative": (-1, TypeError),
        "None": (None, TypeError),
        "numpy.ndarray of several": (np.zeros(2), TypeError),
    },
)

REAL = Kind(
    "a real number",
    1.0,
    {
        "float": 1.0,
        "int": 1,
        "float32 NumPy number": np.float32(1),
        "float64 NumPy number": np.float64(1),
        "NumPy integer": np.int64(1),
        "numpy.ndarray without dimensions": np.array(1.0),
        "int enum member": Number.ONE,
        "object with __float__": fractions.Fraction(1),
    },
    {
        "str": ("1", TypeError),
        "list": ([1.0], TypeError),
        "None": (None, TypeError),
        "complex": (1j, TypeError),
    },
)

TRUTH = Kind(
    "a bool",
    True,
    {
        "bool": True,
        "int": 1,
        "NumPy bool": np.bool_(True),
        "NumPy integer": np.int64(1),
        "int flag": Bits.FIRST,
    },
    {
        "str": ("yes", TypeError),
        "list": ([True], TypeError),
    },
)

MEMBER = Kind(
    "a member of an enum of the API",
    trt.float16,
    {"member": trt.DataType.HALF, "name in the module": trt.float16},
    {
        "its number": (1, TypeError),
        "NumPy integer": (np.int64(1), TypeError),
        "member of another enum": (trt.TensorFormat.CHW2, TypeError),
        "NumPy type": (np.float16, TypeError),
        "NumPy dtype": (np.dtype("float16"), TypeError),
        "its name": ("HALF", TypeError),
        "None": (None, TypeError),
    },
)

_PATH = "a-folder/a-file"
PATH = Kind(
    "a path",
    _PATH,
    {
        "str": _PATH,
        "bytes": _PATH.encode(),
        "os.PathLike": pathlib.Path(_PATH),
        "NumPy str": np.str_(_PATH),
    },
    {"int": (3, TypeError), "list": ([_PATH], TypeError)},
)

TEXT = Kind(
    "a text",
    "a name",
    {"str": "a name", "NumPy str": np.str_("a name"), "bytes": b"a name"},
    {
        "int": (3, TypeError),
        "list": (["a name"], TypeError),
        "os.PathLike": (pathlib.Path("a name"), TypeError),
    },
)

_BYTES = b"some bytes"
BUFFER = Kind(
    "bytes",
    _BYTES,
    {
        "bytes": _BYTES,
        "bytearray": bytearray(_BYTES),
        "memoryview": memoryview(_BYTES),
        "strided memoryview": memoryview(np.repeat(bytearray(_BYTES), 2).tobytes())[::2],
        "numpy.ndarray": np.frombuffer(_BYTES, np.uint8),
        "numpy.ndarray of a wider type": np.frombuffer(_BYTES, np.uint16),
        "strided numpy.ndarray": strided(np.frombuffer(_BYTES, np.uint16)),
        "array.array": array.array("B", _BYTES),
        "ctypes array": (ctypes.c_char * len(_BYTES)).from_buffer_copy(_BYTES),
    },
    {
        "str": ("some bytes", TypeError),
        "list": (list(_BYTES), TypeError),
        "int": (10, TypeError),
        "None": (None, TypeError),
    },
)

_WEIGHTS = np.array([[1, 2], [3, 4]], np.float32)
WEIGHTS = Kind(
    "weights",
    [1.0, 2.0, 3.0, 4.0],
    {
        "numpy.ndarray": _WEIGHTS,
        "Weights": trt.Weights(_WEIGHTS),
        "strided numpy.ndarray": strided(_WEIGHTS.reshape(-1)),
        "transposed numpy.ndarray": np.ascontiguousarray(_WEIGHTS.T).T,
        "numpy.ndarray of the other byte order": _WEIGHTS.astype(">f4"),
    },
    {
        "list": ([1.0, 2.0, 3.0, 4.0], TypeError),
        "float64 numpy.ndarray": (_WEIGHTS.astype(np.float64), TypeError),
        "complex numpy.ndarray": (_WEIGHTS.astype(complex), TypeError),
        "NumPy number": (np.float32(1), TypeError),
        "bytes": (_WEIGHTS.tobytes(), TypeError),
        "str": ("1234", TypeError),
    },
)

FIELD = Kind(
    "data of a plugin field of type INT32",
    [1, 2],
    {
        "numpy.ndarray of that type": np.array([1, 2], np.int32),
        "int64 numpy.ndarray": np.array([1, 2]),
        "uint8 numpy.ndarray": np.array([1, 2], np.uint8),
        "float64 numpy.ndarray of whole numbers": np.array([1.0, 2.0]),
        "strided numpy.ndarray": strided([1, 2]),
        "numpy.ndarray of the other byte order": np.array([1, 2], ">i4"),
        "list": [1, 2],
        "tuple": (1, 2),
        "range": range(1, 3),
        "array.array": array.array("q", [1, 2]),
        "memoryview of integers": memoryview(np.array([1, 2], np.int32)),
        "bytes of the elements": np.array([1, 2], np.int32).tobytes(),
        "bytearray of the elements": bytearray(np.array([1, 2], np.int32).tobytes()),
        "object with __array__": Arrayed(),
    },
    {
        "fractions": ([1.5], ValueError),
        "numbers out of range": ([2**40], ValueError),
        "not a number": (np.array([np.nan]), ValueError),
        "bytes of no whole element": (b"abc", ValueError),
        "str": ("12", TypeError),
        "complex": (np.array([1j]), TypeError),
        "object": (object(), TypeError),
    },
)

KINDS = {
    "shape": SHAPE,
    "permutation": PERMUTATION,
    "integers": INTEGERS,
    "integer": INTEGER,
    "mask": MASK,
    "address": ADDRESS,
    "real": REAL,
    "truth": TRUTH,
    "member": MEMBER,
    "path": PATH,
    "text": TEXT,
    "bytes": BUFFER,
    "weights": WEIGHTS,
    "field": FIELD,
}


def tables(arguments):
    """The tables of the page. arguments: {kind: names of the arguments}."""
    lines = []
    for name, kind in KINDS.items():
        lines += [f"## {kind.title[0].upper()}{kind.title[1:]}", ""]
        lines += [f"Arguments: {', '.join(f'`{argument}`' for argument in arguments[name])}.", ""]
        lines += ["| value | result |", "|---|---|"]
        lines += [f"| {label} | accepted |" for label in kind.accepted]
        lines += [f"| {label} | `{error.__name__}` |" for label, (_, error) in kind.refused.items()]
        lines += [""]
    return "\n".join(lines)


if __name__ == "__main__":
    from accepted_arguments import names

    page = pathlib.Path(__file__).parents[2] / "docs" / "accepted-arguments.md"
    before, mark, _ = page.read_text().partition("<!-- tables -->\n\n")
    page.write_text(before + mark + tables(names()).strip() + "\n")
