# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: UP006, UP037, F821
"""Annotations as text, which ``from __future__ import annotations`` makes of all annotations."""

from __future__ import annotations

from typing import List, Tuple  # noqa: UP035

import numpy as np
import numpy.typing as npt
import pytest
import tensorrt.plugin as trtp
from oplab import define, definition_of, new_id

pytestmark = pytest.mark.xdist_group("registry")


def desc(
    x: trtp.TensorDesc, pads: npt.NDArray[np.int32], mode: str = "wrap"
) -> Tuple[trtp.TensorDesc, trtp.TensorDesc]:
    return x.like(), x.like()


def impl(
    x: trtp.Tensor, pads: npt.NDArray[np.int32], outputs: Tuple[trtp.Tensor], stream: int
) -> None: ...


def autotune(
    x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc, ...]
) -> List[trtp.AutoTuneCombination]: ...


def aot_impl(
    x: trtp.TensorDesc, mode: str, outputs: Tuple[trtp.TensorDesc], tactic: int
) -> Tuple[str | bytes, str | bytes, trtp.KernelLaunchParams, trtp.SymExprs]: ...


def test_of_a_module():
    definition = definition_of(define(desc, impl, autotune, aot_impl))
    assert definition.num_outputs == 2
    assert definition.impl_attr_names == ["pads"]
    assert definition.aot_impl_attr_names == ["mode"]
    assert definition.input_attrs["mode"] is str


def test_of_names_inside_a_function():
    from tensorrt.plugin import Tensor, TensorDesc

    plugin_id = new_id()

    @trtp.register(plugin_id)
    def desc(x: TensorDesc, size: int) -> TensorDesc:
        return x.like()

    @trtp.impl(plugin_id)
    def impl(x: Tensor, size: int, outputs: Tuple[Tensor], stream: int) -> None: ...

    assert definition_of(plugin_id).impl_attr_names == ["size"]


def test_of_names_of_an_enclosing_function():
    Kind = trtp.TensorDesc

    def make():
        def desc(x: Kind) -> Kind:
            return Kind(x.shape_expr, x.dtype)

        return desc

    assert definition_of(define(make())).input_tensor_names == ["x"]


def test_quotes_inside_text():
    def desc(x: "trtp.TensorDesc", size: "int") -> "Tuple['trtp.TensorDesc']":
        return x.like()

    assert definition_of(define(desc)).input_attrs == {"size": int}


def test_text_that_says_nothing():
    def desc(x: trtp.TensorDesc, size: no.such.thing) -> trtp.TensorDesc: ...

    with pytest.raises(TypeError, match="parameter 'size': expected an annotation that can be"):
        define(desc)
