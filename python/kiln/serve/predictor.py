# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine over data sets of Ray Data.

import ray.data
import kiln.serve

rows = ray.data.read_parquet("images/")
rows.map_batches(
    kiln.serve.Predictor,
    fn_constructor_kwargs={"plan": "digits.plan"},
    batch_size=256,
    compute=ray.data.ActorPoolStrategy(size=2),
    num_cpus=1,
).write_parquet("results/")
"""

import asyncio
import difflib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kiln._messages import coded
from kiln.serve.columns import Column, columns_of, joined, with_columns
from kiln.serve.config import ModelConfig, ServeConfig, from_dict
from kiln.serve.models import Models
from kiln.serve.request import Array, InferRequest, InferResult
from kiln.serve.signature import Signature

# Rows that wait in the queue at the same time. More would only take memory.
_ROUND = 1024


class Predictor:
    """Runs an engine over the rows of batches; made for ``map_batches`` of Ray Data.

    plan: a plan file, a folder of versions, or the bytes of a plan. columns: the column of each
    input, by the name of the input; default: the same name. outputs: the column of each output,
    by the name of the output; only these are computed; default: all, under their names. keep:
    whether the columns of the batch stay. model: more fields of ModelConfig, such as ``plugins``,
    or ``batching={"pad": {"tokens": {"axis": 1}}}`` for rows of different lengths.

    A row is what one element of the engine's batch is, or a whole input for an engine without a
    batch axis. Batches may be dictionaries of NumPy arrays, data frames of pandas or tables of
    Arrow; the result is of the same kind. They may be larger than the engine's largest batch.
    Raises LoadError if the plan cannot be opened.
    """

    def __init__(
        self,
        plan: "str | Path | bytes",
        columns: "Mapping[str, str] | None" = None,
        outputs: "Mapping[str, str] | None" = None,
        keep: bool = True,
        **model: Any,
    ) -> None:
        config = from_dict(ModelConfig, {"plan": plan, **model}, "Predictor")
        self._keep = keep
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._models = Models(ServeConfig(models=(config,)))
        self._wait(self._models.start())
        self._model = self._models.loaded()[0]
        self.signature: Signature = self._model.signature
        self._pads = config.batching.pad
        names = [spec.name for spec in self.signature.inputs]
        self._columns = {name: (columns or {}).get(name, name) for name in names}
        made = [spec.name for spec in self.signature.outputs]
        self._outputs = dict(outputs) if outputs is not None else {name: name for name in made}
        _check_names("columns", columns or {}, names)
        _check_names("outputs", self._outputs, made)

    def __call__(self, batch: Any) -> Any:
        """The batch with the outputs as more columns."""
        there = columns_of(batch)
        inputs = {}
        for spec in self.signature.inputs:
            name = self._columns[spec.name]
            if name not in there:
                raise coded(
                    KeyError,
                    f"[deploy] column of input '{spec.name}': expected one of "
                    f"{', '.join(map(str, there))}, got '{name}'.{_near(name, there)} The argument "
                    "`columns` names the column of an input.",
                )
            inputs[spec.name] = Column(there[name](), spec, name)
        results = self._wait(self._run(inputs))
        return with_columns(
            batch, {self._outputs[name]: results[name] for name in self._outputs}, self._keep
        )

    def close(self) -> None:
        """Gives the memory of the engine back; the predictor cannot be called afterwards."""
        if self._loop.is_running():
            self._wait(self._models.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _run(self, inputs: "dict[str, Column]") -> "dict[str, Array]":
        """The outputs of all rows, each joined to one array."""
        count = min(len(column) for column in inputs.values())
        if not count:
            return {
                spec.name: np.empty((0, *(max(e, 0) for e in self._row(spec.shape))), _type(spec))
                for spec in self.signature.outputs
            }
        if self.signature.batch and all(column.is_regular for column in inputs.values()):
            step = self._most(inputs)
            parts = [slice(start, start + step) for start in range(0, count, step)]
        else:
            parts = [slice(row, row + 1) for row in self._order(inputs, count)]
        results: list[InferResult] = []
        for start in range(0, len(parts), _ROUND):
            requests = (self._request(inputs, part) for part in parts[start : start + _ROUND])
            results += await asyncio.gather(*(self._model.infer(r) for r in requests))
        return {name: self._gathered(name, parts, results, count) for name in self._outputs}

    def _request(self, inputs: "dict[str, Column]", rows: slice) -> InferRequest:
        arrays = {name: column.rows(rows) for name, column in inputs.items()}
        if not self.signature.batch:
            arrays = {name: np.ascontiguousarray(array[0]) for name, array in arrays.items()}
        return InferRequest(arrays, list(self._outputs))

    def _gathered(
        self, name: str, parts: "Sequence[slice]", results: "list[InferResult]", count: int
    ) -> Array:
        arrays = [result.outputs[name] for result in results]
        if not self.signature.batch:
            arrays = [array[None] for array in arrays]
        if len({array.shape[1:] for array in arrays}) == 1 and arrays[0].ndim:
            ordered = [arrays[i] for i in np.argsort([part.start for part in parts])]
            return joined(ordered)
        rows = np.empty(count, object)
        for part, array in zip(parts, arrays, strict=True):
            for row, value in zip(range(part.start, count), array, strict=False):
                rows[row] = value
        return rows

    def _order(self, inputs: "dict[str, Column]", count: int) -> "list[int]":
        """Rows of like sizes after each other: what is padded together then needs little of it."""
        if not self._pads:
            return list(range(count))
        sizes = [sum(column.size(row) for column in inputs.values()) for row in range(count)]
        return [int(row) for row in np.argsort(sizes, kind="stable")]

    def _most(self, inputs: "dict[str, Column]") -> int:
        """The largest batch of the profiles that take the rows."""
        found = [
            min(known.high[0] for known in profile.values())
            for profile in self.signature.profiles
            if all(
                known.takes((known.low[0], *inputs[name].row_shape))
                for name, known in profile.items()
            )
        ]
        everywhere = [min(r.high[0] for r in p.values()) for p in self.signature.profiles]
        # Without such a profile, the rows are padded, or refused with the shapes in the message.
        return max(1, max(found) if found else min(everywhere))

    def _row(self, shape: "tuple[int, ...]") -> "tuple[int, ...]":
        return shape[1:] if self.signature.batch else shape


def _type(spec: Any) -> Any:
    from kiln._device_array import _dtype_of

    return _dtype_of(spec.dtype)


def _near(name: str, names: Any) -> str:
    near = difflib.get_close_matches(str(name), [str(other) for other in names], 1)
    return f" Did you mean '{near[0]}'?" if near else ""


def _check_names(where: str, given: "Mapping[str, str]", names: "list[str]") -> None:
    for name in given:
        if name not in names:
            raise coded(
                ValueError,
                f"[deploy] Predictor.{where}: expected names of the engine ({', '.join(names)}), "
                f"got '{name}'.{_near(name, names)}",
            )
