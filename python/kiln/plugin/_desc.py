# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Descriptors: what is known about a tensor before there is data."""

from collections.abc import Sequence
from typing import Any, TypeVar

from kiln._core import DataType, TensorFormat
from kiln._messages import coded
from kiln._repr import dtype as name_of_type
from kiln.plugin._expr import ShapeExpr, SizeTensorShapeExpr, SymIntExpr, text_of
from kiln.plugin._exprs import ShapeExprs, shape_exprs_of
from kiln.plugin._shape import Shape, ShapeLike, shape_of
from kiln.plugin._terms import SizeTerm

T = TypeVar("T")
Extents = ShapeExprs | Sequence[ShapeExpr | int]


class TensorDesc:
    """What is known about a tensor before there is data.

    shape_expr: ShapeExprs, or a tuple of ShapeExpr and int. dtype: DataType. format: TensorFormat.
    scale: float, of INT8 data. Reading a property that is not set raises ValueError: shape_expr is
    set while shapes are computed, shape and format while a configuration is tried (see has_shape).
    Inputs and aliases cannot be changed; change a copy made by like().
    """

    def __init__(
        self,
        shape_expr: Extents | None = None,
        dtype: DataType | None = None,
        format: TensorFormat | None = None,
        scale: float | None = None,
    ) -> None:
        self._immutable = False
        self._shape_expr: ShapeExprs | None = None
        self._shape: Shape | None = None
        self._aliased_to: TensorDesc | None = None
        self._values: ShapeExprs | None = None  # of a shape input
        self._dtype, self._format, self._scale = dtype, format, scale
        if shape_expr is not None:
            self.shape_expr = shape_expr

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            if getattr(self, "_immutable", False):
                raise coded(
                    AttributeError,
                    f"[plugin] TensorDesc.{name}: expected a descriptor of the function's own, got "
                    "an input or an alias, which cannot be changed. Take like() first.",
                )
            if not hasattr(type(self), name):
                raise coded(
                    AttributeError,
                    f"[plugin] TensorDesc: expected one of shape_expr, dtype, shape, format and "
                    f"scale to be set, got {name}",
                )
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        extents = ""
        if self._shape_expr is not None:
            extents = f" ({', '.join(map(text_of, self._shape_expr))})"
        dtype = "any type" if self._dtype is None else name_of_type(self._dtype)
        aliased = ", aliased" if self._aliased_to is not None else ""
        return f"<{type(self).__name__}: {dtype}{extents}{aliased}>"

    def _read(self, name: str, value: T | None, when: str) -> T:
        if value is None:
            raise coded(
                ValueError,
                f"[plugin] TensorDesc.{name}: expected a descriptor that has it, got one without. "
                f"{when}",
            )
        return value

    @property
    def shape_expr(self) -> ShapeExprs:
        """The shape as expressions."""
        return self._read("shape_expr", self._shape_expr, "Ask has_shape_expr first.")

    @shape_expr.setter
    def shape_expr(self, value: Extents) -> None:
        if isinstance(value, TensorDesc | str | bytes):
            raise coded(
                TypeError,
                "[plugin] TensorDesc.shape_expr: expected ShapeExprs or a tuple of ShapeExpr and "
                f"int, got {type(value).__name__}",
            )
        if isinstance(value, ShapeExprs) and not value._frozen:
            self._shape_expr = value
        else:
            self._shape_expr = shape_exprs_of(value)

    @property
    def has_shape_expr(self) -> bool:
        """Whether shape_expr can be read."""
        return self._shape_expr is not None

    @property
    def dtype(self) -> DataType:
        """The type of the elements."""
        return self._read("dtype", self._dtype, "Set dtype.")

    @dtype.setter
    def dtype(self, value: DataType) -> None:
        self._dtype = _checked(value, DataType, "dtype")

    @property
    def shape(self) -> Shape:
        """The shape as numbers, set while a configuration is tried."""
        return self._read("shape", self._shape, "Ask has_shape first, or use shape_expr.")

    @shape.setter
    def shape(self, value: ShapeLike) -> None:
        self._shape = shape_of(value)

    @property
    def has_shape(self) -> bool:
        """Whether shape and format can be read."""
        return self._shape is not None

    @property
    def is_dynamic(self) -> bool:
        """Whether an extent of shape may change."""
        return self.shape.is_dynamic

    @property
    def format(self) -> TensorFormat:
        """The memory layout, set while a configuration is tried."""
        return self._read("format", self._format, "Ask has_shape first.")

    @format.setter
    def format(self, value: TensorFormat) -> None:
        self._format = _checked(value, TensorFormat, "format")

    @property
    def scale(self) -> float:
        """The real value of one step of INT8 data."""
        return self._read("scale", self._scale, "Ask has_shape first.")

    @scale.setter
    def scale(self, value: float) -> None:
        self._scale = float(value)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        if self._shape_expr is not None:
            return len(self._shape_expr)
        return len(self._read("ndim", self._shape, "Set shape_expr."))

    @property
    def is_size_tensor(self) -> bool:
        """Whether the op writes an extent of another output here."""
        return False

    @property
    def is_aliased(self) -> bool:
        """Whether the tensor uses the memory of another one."""
        return self._aliased_to is not None

    def numel(self) -> int:
        """The number of elements. Raises ValueError if the shape is not set or not fixed."""
        return self.shape.numel()

    def like(self) -> "TensorDesc":
        """A descriptor with the same properties, which can be changed."""
        copy = TensorDesc(dtype=self._dtype, format=self._format, scale=self._scale)
        if self._shape_expr is not None:
            copy._shape_expr = shape_exprs_of(self._shape_expr)
        copy._shape = self._shape
        return copy

    def aliased(self) -> "TensorDesc":
        """A descriptor with the same properties, whose tensor uses the memory of this one.

        It cannot be changed. An op that returns it writes its output over its input.
        """
        alias = frozen(self.like())
        alias._aliased_to = self
        return alias

    def get_aliased(self) -> "TensorDesc | None":
        """The descriptor whose memory this tensor uses, None if it has its own."""
        return self._aliased_to


class SizeTensorDesc(TensorDesc):
    """A tensor of one integer, to which the op writes an extent of its outputs when it runs.

    opt: ShapeExpr or int, the extent to tune for. upper_bound: ShapeExpr or int, the largest one.
    Its dtype is INT32 unless set to INT64. It must be one of the op's outputs.
    """

    def __init__(self, opt: ShapeExpr | int, upper_bound: ShapeExpr | int) -> None:
        super().__init__(ShapeExprs(0), DataType.INT32)
        self._opt, self._upper_bound = ShapeExpr(opt), ShapeExpr(upper_bound)
        self._size = SizeTerm(self)
        self._index: int | None = None

    @property
    def opt(self) -> ShapeExpr:
        """The extent to tune for."""
        return self._opt

    @property
    def upper_bound(self) -> ShapeExpr:
        """The largest extent."""
        return self._upper_bound

    @property
    def index(self) -> int:
        """Which output of the op this is. Known once the function has returned it."""
        return self._read("index", self._index, "Return the size tensor as an output.")

    @property
    def is_size_tensor(self) -> bool:
        """True."""
        return True

    def expr(self) -> SizeTensorShapeExpr:
        """The extent, for shapes of outputs."""
        return SizeTensorShapeExpr(self)


def _checked(value: Any, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise coded(
            TypeError,
            f"[plugin] TensorDesc.{name}: expected a {kind.__name__}, got {type(value).__name__}",
        )
    return value


def frozen(desc: TensorDesc) -> TensorDesc:
    """Makes the descriptor immutable, and returns it."""
    if desc._shape_expr is not None:
        desc._shape_expr._frozen = True
    desc._immutable = True
    return desc


def shape_input(values: "ShapeExprs | None") -> TensorDesc:
    """The descriptor of a shape input. values: None if they are not known here."""
    count = ShapeExpr() if values is None else ShapeExpr(len(values))
    desc = TensorDesc(ShapeExprs.from_tuple((count,)), DataType.INT64)
    desc._values = ShapeExprs(8, _is_dummy=True) if values is None else values
    return desc


def shape_values(desc: TensorDesc) -> ShapeExprs:
    """The values of a shape input, as expressions, in the function under register.

    desc: the TensorDesc of an input that was added as a shape input: by an ONNX node's attribute
    tensorrt_plugin_shape_input_indices, or in the second place of add_plugin((inputs,
    shape_inputs, plugin)). Shape inputs come after all others.
    Raises ValueError for another descriptor.
    Example: ``rows = kiln.shape_values(size)[0]``.
    """
    if desc._values is None:
        raise coded(
            ValueError,
            "[plugin] shape_values: expected the descriptor of a shape input, got one of another "
            "tensor. Add the tensor as a shape input.",
        )
    return desc._values


def from_shape_expr(shape_expr: Extents, dtype: DataType) -> TensorDesc:
    """A descriptor of a given shape and type.

    shape_expr: ShapeExprs, or a tuple of ShapeExpr and int. dtype: DataType.
    """
    if isinstance(shape_expr, SymIntExpr | int):
        raise coded(
            TypeError,
            "[plugin] from_shape_expr: expected a tuple of extents or ShapeExprs, got "
            f"{type(shape_expr).__name__}. Write (n,) for one dimension.",
        )
    desc = TensorDesc(shape_exprs_of(shape_expr))
    desc.dtype = dtype
    return desc


def size_tensor(opt: ShapeExpr | int, upper_bound: ShapeExpr | int) -> SizeTensorDesc:
    """A tensor of one integer that holds an extent of other outputs; return it as an output, too.

    opt: ShapeExpr or int, the extent to tune for. upper_bound: ShapeExpr or int, the largest one.
    Example: ``n = trtp.size_tensor(rows // 2, rows)``, then
    ``return trtp.from_shape_expr((n.expr(), 2), dtype=trt.int32), n``.
    """
    return SizeTensorDesc(opt, upper_bound)
