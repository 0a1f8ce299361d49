# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Joins the inputs of several requests, and splits the outputs again."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kiln.serve.config import Batching, Crop, Pad
from kiln.serve.request import Array, InferRequest
from kiln.serve.signature import Shape, ShapeRange, Signature

# Shapes of requests whose group is remembered.
_REMEMBERED = 4096
# Bytes of parts that are joined as bytes, which takes 0.1 us for each; NumPy takes 0.4 us. Larger
# ones are copied once, and without Python's global lock.
_SMALL = 4096


class Joined:
    """Requests that run together.

    rows: of each request. extra: rows behind them, if the profile takes no smaller batch. profile:
    the optimization profile. shapes: those of the joined inputs. profiled: whether a request asks
    for the times of the layers; steps: these times, after the run.
    """

    __slots__ = (
        "batching",
        "elements",
        "extra",
        "profile",
        "profiled",
        "requests",
        "rows",
        "shapes",
        "steps",
        "total",
    )

    def __init__(
        self,
        requests: Sequence[InferRequest],
        rows: Sequence[int],
        profile: int,
        shapes: "dict[str, Shape]",
        batching: Batching,
        extra: int = 0,
        elements: "int | None" = None,
    ) -> None:
        self.requests, self.rows, self.total, self.extra = requests, rows, sum(rows), extra
        self.profile, self.shapes, self.batching = profile, shapes, batching
        self.elements = sum(map(math.prod, shapes.values())) if elements is None else elements
        self.profiled = (
            requests[0].profile if len(requests) == 1 else True in [r.profile for r in requests]
        )
        self.steps: list[tuple[str, float]] = []

    def whole(self, name: str) -> "Array | None":
        """An input that needs no joining: that of a lone request, if nothing is added to it."""
        if len(self.requests) == 1:  # its shape tells whether something is added
            part = self.requests[0].inputs[name]
            flags = part.flags  # a part of a message may begin at any byte
            if part.shape == self.shapes[name] and flags.c_contiguous and flags.aligned:
                return part
        return None

    def fill(self, name: str, into: Array) -> None:
        """Writes one joined input. into: of its shape."""
        if len(self.requests) == 1:
            part = self.requests[0].inputs[name]
            if part.shape == into.shape:
                into[...] = part
                return
        parts = [request.inputs[name] for request in self.requests]
        trailing = into.shape[1:]
        pad = self.batching.pad.get(name)
        if pad is None or all(part.shape[1:] == trailing for part in parts):
            _concatenate(parts, into[: self.total])
        else:
            start = 0
            for part, rows in zip(parts, self.rows, strict=True):
                _padded(part, into[start : start + rows], pad)
                start += rows
        if self.extra:  # rows that nobody asked for: copies of the last one, so that
            into[self.total :] = into[self.total - 1]  # they cannot bring in values of their own

    def padded_share(self) -> float:
        """Elements that were added to the inputs, of all that the engine reads."""
        asked = sum([a.size for request in self.requests for a in request.inputs.values()])
        return 1.0 - asked / self.elements if self.elements else 0.0

    def split(self, outputs: "dict[str, Array]") -> "list[dict[str, Array]]":
        """The outputs of each request, in the order of the engine."""
        if len(self.requests) == 1 and not (
            self.extra or self.batching.crop or self.requests[0].outputs
        ):
            return [outputs]
        results: list[dict[str, Array]] = [{} for _ in self.requests]
        joined = len(self.requests) > 1 or self.extra > 0
        for name, output in outputs.items():
            rule = self.batching.crop.get(name)
            start = 0
            for request, rows, found in zip(self.requests, self.rows, results, strict=True):
                end = start + rows
                if not request.outputs or name in request.outputs:
                    part = output[start:end] if joined else output
                    found[name] = part if rule is None else _cropped(part, rule, request)
                start = end
        return results


def _concatenate(parts: "list[Any]", into: Array) -> None:
    """Writes arrays of one type one after the other. into: of their rows."""
    if into.nbytes <= _SMALL * len(parts) and into.flags.c_contiguous:
        try:
            into.reshape(-1).view(np.uint8)[:] = np.frombuffer(b"".join(parts), np.uint8)
            return
        except (BufferError, TypeError, ValueError):  # with strides, or a type without buffers
            pass
    np.concatenate(parts, out=into)


def _cropped(part: Array, rule: Crop, request: InferRequest) -> Array:
    extent = request.inputs[rule.input].shape[rule.input_axis]
    result: Array = part[(*(slice(None),) * rule.axis, slice(extent))]
    return result


def _padded(part: Array, into: Array, pad: Pad) -> None:
    before = (slice(None),) * pad.axis
    extent = part.shape[pad.axis]
    into[(*before, slice(extent))] = part
    into[(*before, slice(extent, None))] = pad.value


class Group:
    """Requests that may be joined: they agree in all extents that may not be padded.

    profiles: those that take them, in the order of the engine. limit: rows of a batch. alone: how a
    request runs alone, by its rows: profile, shapes, further rows and elements.
    """

    __slots__ = ("alone", "limit", "profiles")

    def __init__(self, profiles: "tuple[int, ...]", limit: int) -> None:
        self.profiles, self.limit = profiles, limit
        self.alone: dict[int, tuple[int, dict[str, Shape], int, int]] = {}


class Grouping:
    """Decides which requests share a batch, and with which shapes it runs."""

    def __init__(self, signature: Signature, batching: Batching) -> None:
        self.signature, self.batching = signature, batching
        self.names = tuple(spec.name for spec in signature.inputs)
        self._first = self.names[0] if signature.batch else None
        self._only = self.names[0] if len(self.names) == 1 else None
        self.joins = signature.batch and batching.max_size != 1
        ranges = [tuple(profile.values()) for profile in signature.profiles] if self.joins else []
        self._least = [max(known.low[0] for known in profile) for profile in ranges]
        self._most = [min(known.high[0] for known in profile) for profile in ranges]
        self._valued = any(signature.values)
        self._groups: dict[tuple[object, ...], Group] = {}
        self._by_shapes: dict[Any, Group | None] = {}  # by all shapes, or that of the only input

    def rows(self, request: InferRequest) -> int:
        """The rows of a request; 1 for a model without a batch axis."""
        first = self._first
        return 1 if first is None else int(request.inputs[first].shape[0])

    def group(self, request: InferRequest) -> "Group | None":
        """The group of a request; None if no profile takes it."""
        if self._valued:
            return self._group_by_values(request)
        inputs, only = request.inputs, self._only
        key: Any = (
            tuple([inputs[n].shape for n in self.names])
            if only is None
            else (
                inputs[only].shape  # one tuple less, of which both making and hashing take long
            )
        )
        try:
            return self._by_shapes[key]
        except KeyError:
            if len(self._by_shapes) >= _REMEMBERED:  # clients choose the shapes
                self._by_shapes.clear()
            group = self._by_shapes[key] = self._find(key if only is None else (key,))
            return group

    def _group_by_values(self, request: InferRequest) -> "Group | None":
        """The group of a request whose values, as those of a shape, decide, too."""
        shapes = {name: request.inputs[name].shape for name in self.names}
        found = self.signature.values_of(request.inputs)
        profile = self.signature.profile_for(shapes, found)
        if profile is None:
            return None
        return self._groups.setdefault((profile,), Group((profile,), 1))

    def _find(self, shapes: "tuple[Shape, ...]") -> "Group | None":
        if not self.joins:
            profile = self.signature.profile_for(dict(zip(self.names, shapes, strict=True)))
            return None if profile is None else Group((profile,), 1)
        profiles = tuple(
            index
            for index, ranges in enumerate(self.signature.profiles)
            if all(self._fits(ranges[n], n, s) for n, s in zip(self.names, shapes, strict=True))
        )
        rows = {shape[0] for shape in shapes if shape}
        if not profiles or len(rows) != 1 or min(rows) < 1:
            return None
        most = max(self._most[p] for p in profiles)
        if max(rows) > most:
            return None
        key = (profiles, *map(self._fixed, self.names, shapes))
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= _REMEMBERED:
                self._groups.clear()
            group = self._groups[key] = Group(profiles, min(most, self.batching.max_size or most))
        return group

    def _fits(self, known: ShapeRange, name: str, shape: Shape) -> bool:
        """Whether a range takes a shape, rows aside, once it is padded."""
        pad = self.batching.pad.get(name)
        return len(shape) == len(known.low) and all(
            (low <= extent or (pad is not None and pad.axis == axis)) and extent <= high
            for axis, (low, extent, high) in enumerate(
                zip(known.low, shape, known.high, strict=True)
            )
            if axis
        )

    def _fixed(self, name: str, shape: Shape) -> Shape:
        pad = self.batching.pad.get(name)
        return tuple(e for axis, e in enumerate(shape) if axis and not (pad and axis == pad.axis))

    def join(self, group: Group, requests: Sequence[InferRequest], rows: Sequence[int]) -> Joined:
        """Chooses profile and shapes for requests of one group."""
        names = self.names
        if not self.joins:
            shapes = {name: requests[0].inputs[name].shape for name in names}
            return Joined(requests, rows, group.profiles[0], shapes, self.batching)
        alone = group.alone.get(rows[0]) if len(rows) == 1 else None
        if alone is not None:
            profile, shapes, extra, elements = alone
            return Joined(requests, rows, profile, shapes, self.batching, extra, elements)
        total = sum(rows)
        profile = group.profiles[0]
        if len(group.profiles) > 1:
            fitting = (p for p in group.profiles if total <= self._most[p])
            profile = min(fitting, key=lambda p: max(0, self._least[p] - total))
        extra = max(0, self._least[profile] - total)
        shapes = {}
        for name in names:
            shape = (total + extra, *requests[0].inputs[name].shape[1:])
            pad = self.batching.pad.get(name)
            if pad is not None:
                longest = max(request.inputs[name].shape[pad.axis] for request in requests)
                known = self.signature.profiles[profile][name]
                extent = max(longest, known.low[pad.axis])
                shape = (*shape[: pad.axis], extent, *shape[pad.axis + 1 :])
            shapes[name] = shape
        joined = Joined(requests, rows, profile, shapes, self.batching, extra)
        if len(rows) == 1 and not self.batching.pad:
            group.alone[rows[0]] = profile, shapes, extra, joined.elements
        return joined
