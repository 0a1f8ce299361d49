# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The inputs and outputs of an engine, and the shapes that its profiles take."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kiln.serve.request import Array

Shape = tuple[int, ...]


@dataclass(frozen=True)
class TensorSpec:
    """An input or output.

    shape: extents; -1 where a run decides. dtype: NumPy's name of the type, such as 'float32';
    'bfloat16' and 'float8_e4m3fn' are those of ml_dtypes.
    """

    name: str
    dtype: str
    shape: Shape


@dataclass(frozen=True)
class ShapeRange:
    """The shapes of one input that one profile takes."""

    low: Shape
    best: Shape
    high: Shape

    def takes(self, shape: Shape) -> bool:
        """Whether a shape is inside of the range."""
        return len(shape) == len(self.low) and all(
            low <= extent <= high
            for low, extent, high in zip(self.low, shape, self.high, strict=True)
        )


@dataclass(frozen=True)
class Signature:
    """What an engine takes and gives.

    profiles: for each optimization profile the range of each input; at least one, also for
    static shapes. values: for each profile the least, best and largest values of each input whose
    values decide shapes, as flat tuples. batch: whether the first axis of every input and
    output is the batch: it is dynamic in all of them, and grows alike in all profiles.
    """

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    profiles: tuple[dict[str, ShapeRange], ...]
    batch: bool
    values: "tuple[dict[str, ShapeRange], ...]" = field(default=())

    @cached_property
    def inputs_by_name(self) -> "dict[str, TensorSpec]":
        """The inputs, by name."""
        return {spec.name: spec for spec in self.inputs}

    @property
    def max_batch(self) -> int:
        """The largest batch that a profile takes; 1 without a batch axis."""
        if not self.batch:
            return 1
        return max(min(r.high[0] for r in profile.values()) for profile in self.profiles)

    def profile_for(
        self, shapes: "dict[str, Shape]", values: "dict[str, Shape] | None" = None
    ) -> "int | None":
        """The first profile that takes the shapes of all inputs; None if none does.

        values: those of the inputs that decide shapes, flat; None: any.
        """
        for index, profile in enumerate(self.profiles):
            if all(profile[name].takes(shape) for name, shape in shapes.items()) and (
                not values
                or all(self.values[index][name].takes(found) for name, found in values.items())
            ):
                return index
        return None

    def values_of(self, inputs: "dict[str, Array]") -> "dict[str, Shape]":
        """The values, flat, of the inputs that decide shapes."""
        names = self.values[0] if self.values else ()
        return {name: tuple(np.ravel(inputs[name]).tolist()) for name in names}


def rows_of(inputs: "dict[str, Array]") -> int:
    """The extent of the first axis of the inputs; 1 for 0-D ones."""
    first = next(iter(inputs.values()))
    return int(np.shape(first)[0]) if np.ndim(first) else 1
