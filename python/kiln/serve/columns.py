# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of the batches that Ray Data hands over: NumPy, pandas or Arrow."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from kiln._device_array import _dtype_of
from kiln._messages import coded
from kiln.serve.request import Array, BadRequestError
from kiln.serve.signature import TensorSpec


def columns_of(batch: Any) -> "dict[str, Callable[[], Any]]":
    """A function for each column that gives its values: an array, or an array of objects."""
    if isinstance(batch, Mapping):
        return {name: partial(_from_mapping, batch, name) for name in batch}
    if _is_arrow(batch):
        return {name: partial(_from_arrow, batch, name) for name in batch.column_names}
    if hasattr(batch, "columns") and hasattr(batch, "to_numpy"):
        return {name: batch[name].to_numpy for name in batch.columns}
    raise coded(
        TypeError,
        "[deploy] Predictor: expected a dictionary of arrays, a pandas.DataFrame or a "
        f"pyarrow.Table, got {type(batch).__name__}",
    )


def with_columns(batch: Any, results: "Mapping[str, Array]", keep: bool) -> Any:
    """A batch of the same kind with more columns. keep: whether it has the old ones too."""
    if isinstance(batch, Mapping):
        return {**(batch if keep else {}), **results}
    if _is_arrow(batch):
        from ray.data.block import BlockAccessor

        new = BlockAccessor.batch_to_arrow_block(dict(results))
        for name in batch.column_names if keep else ():
            if name not in results:
                new = new.append_column(name, batch[name])
        return new
    import pandas  # type: ignore[import-untyped]

    values = {
        name: value if value.ndim == 1 else pandas.Series([*value], index=batch.index)
        for name, value in results.items()
    }
    return batch.assign(**values) if keep else pandas.DataFrame(values, index=batch.index)


class Column:
    """The values of one input, row by row.

    is_regular: whether all rows have one shape, and ``rows`` gives views of one array.
    Raises BadRequestError for values that the type of the input cannot hold.
    """

    def __init__(self, values: Any, spec: TensorSpec, name: str) -> None:
        self._dtype, self._spec, self._name = _dtype_of(spec.dtype), spec, name
        if values.dtype == object:
            values = _stacked(values)
        self.is_regular = values.dtype != object
        self._values = self._cast(values) if self.is_regular else values

    def __len__(self) -> int:
        return len(self._values)

    @property
    def row_shape(self) -> "tuple[int, ...]":
        """The shape of a row, if all have the same."""
        return tuple(self._values.shape[1:])

    def rows(self, rows: slice) -> Array:
        """Some rows as one array; they must have one shape."""
        part = self._values[rows]
        if self.is_regular:
            return np.ascontiguousarray(part)
        return np.ascontiguousarray(self._cast(np.stack([np.asarray(value) for value in part])))

    def size(self, row: int) -> int:
        """The elements of a row."""
        return int(np.size(self._values[row]))

    def _cast(self, values: Array) -> Array:
        if values.dtype == self._dtype:
            return values
        if not _fits(values, self._dtype):
            raise BadRequestError(
                f"[deploy] column '{self._name}' of input '{self._spec.name}': expected values "
                f"that {self._spec.dtype} can hold, got {values.dtype}."
            )
        return values.astype(self._dtype)


def joined(arrays: "list[Array]") -> Array:
    """Arrays after each other; one alone is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _fits(values: Array, dtype: Any) -> bool:
    """Whether a conversion changes the kind of numbers; integers must keep their values."""
    if np.issubdtype(values.dtype, np.integer) and np.issubdtype(dtype, np.integer):
        if not values.size:
            return True
        known = np.iinfo(dtype)
        return bool(known.min <= values.min() and values.max() <= known.max)
    if dtype.kind == "V" or values.dtype.kind == "V":  # bfloat16 and its like
        return values.dtype.kind in "fiuV" and dtype.kind in "fV"
    return bool(np.can_cast(values.dtype, dtype, "same_kind"))


def _stacked(values: Any) -> Any:
    """One array of rows of one shape; else rows as they are."""
    rows = [np.asarray(_plain(value)) for value in values]
    if rows and all(row.shape == rows[0].shape and row.dtype != object for row in rows):
        return np.stack(rows)
    ragged = np.empty(len(rows), object)
    for row, value in enumerate(rows):  # ragged[:] = rows would try to broadcast them
        ragged[row] = value
    return ragged


def _plain(value: Any) -> Any:
    """Nested arrays of objects, as lists of lists come from Arrow, as lists."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.asarray([_plain(item) for item in value])
    return value


def _is_arrow(batch: Any) -> bool:
    return hasattr(batch, "column_names") and hasattr(batch, "schema")


def _from_mapping(batch: "Mapping[str, Any]", name: str) -> Any:
    return np.asarray(batch[name])


def _from_arrow(table: Any, name: str) -> Any:
    from ray.data.block import BlockAccessor

    return np.asarray(BlockAccessor.for_block(table.select([name])).to_numpy([name])[name])
