# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: UP006, UP007, UP045, F821
"""Signatures of decorated functions are checked when they are decorated."""

from typing import Annotated, List, Optional, Tuple, Union  # noqa: UP035

import numpy as np
import numpy.typing as npt
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import define, definition_of, new_id, op_of

pytestmark = pytest.mark.xdist_group("registry")
Desc, Tensor = trtp.TensorDesc, trtp.Tensor


def base(x: Desc, y: Desc, size: int, mode: str) -> Tuple[Desc]:
    return x.like()


def r1(x) -> Desc: ...
def r2(x: Desc, size) -> Desc: ...
def r3(x: Desc, size: list) -> Desc: ...
def r4(x: Desc, size: Optional[int]) -> Desc: ...
def r5(size: int, x: Desc) -> Desc: ...
def r6(x: Desc): ...
def r7(x: Desc) -> int: ...
def r8(x: Desc) -> Tuple[Desc, int]: ...
def r9(x: Desc, outputs: int) -> Desc: ...
def r10(*x: Desc) -> Desc: ...
def r11(x: Desc, *, size: int) -> Desc: ...
def r12(x: Desc, size: int = "one") -> Desc: ...
def r13(x: Desc, pads: npt.NDArray[np.uint16]) -> Desc: ...
def r14(x: Desc, pads: np.ndarray) -> Desc: ...
def r15(x: "Nowhere") -> Desc: ...
def r16(x: Tensor) -> Desc: ...
def r17(x: Desc) -> List[Desc]: ...


REGISTER = [
    (r1, "parameter 'x': expected an annotation, got none. Write TensorDesc for an input"),
    (r2, "parameter 'size': expected an annotation, got none"),
    (r3, "parameter 'size': expected TensorDesc for an input, or int, float, .* got list"),
    (r4, r"parameter 'size': expected TensorDesc .* got int \| NoneType"),
    (r5, "parameter 'x': expected inputs before attributes, got an input after attribute 'size'"),
    (r6, r"return value: expected TensorDesc or Tuple\[TensorDesc, ...\], got no annotation"),
    (r7, r"return value: expected TensorDesc or Tuple\[TensorDesc, ...\], got int"),
    (r8, r"return value: expected TensorDesc .*, got tuple\[TensorDesc, int\]"),
    (r9, "parameter 'outputs': expected another name: outputs, stream and tactic are what"),
    (r10, "parameter 'x': expected an ordinary parameter, got one that is variadic positional"),
    (r11, "parameter 'size': expected an ordinary parameter, got one that is keyword-only"),
    (r12, "parameter 'size', default: expected int, got str"),
    (r13, r"parameter 'pads': expected an array of int8, .* got NDArray\[uint16\]"),
    (r14, r"parameter 'pads': expected an array of int8"),
    (r15, "parameter 'x': expected an annotation that can be evaluated, got 'Nowhere'"),
    (r16, "parameter 'x': expected TensorDesc for an input, or int, .* got Tensor"),
    (r17, r"return value: expected TensorDesc .*, got list\[TensorDesc\]"),
]


@pytest.mark.parametrize(("function", "message"), REGISTER)
def test_register(function, message):
    plugin_id = new_id()
    with pytest.raises(TypeError, match=f"{plugin_id}, register, {message}"):
        trtp.register(plugin_id)(function)
    assert plugin_id not in trtp._lib.QDP_REGISTRY


def i1(x, size, outputs, stream): ...
def i2(x, y, depth, outputs, stream): ...
def i3(x, y, size: float, outputs, stream): ...
def i4(x, y, outputs): ...
def i5(x, y, stream, outputs): ...
def i6(x: Desc, y, outputs, stream): ...
def i7(x, y, outputs: Tuple[Desc], stream): ...
def i8(x, y, outputs, stream: str): ...
def i9(x, y, outputs, stream, tactic: str): ...
def i10(x, y, outputs, stream) -> int: ...
def i11(x, y, outputs, stream, size): ...
def i12(x, y, outputs: Tensor, stream): ...
def i13(y, x, outputs, stream): ...
def i14(y, z, outputs, stream): ...


IMPL = [
    (i1, r": expected 2 inputs first, as in register \(x, y\), got \(x, size, outputs, stream\)"),
    (i2, r", parameter 'depth': expected an attribute of register \(size, mode\), or one of 2"),
    (i3, ", parameter 'size': expected int, as in register, got float"),
    (i4, r": expected outputs, stream and perhaps tactic after inputs and attributes, got \(x, y,"),
    (i5, ": expected outputs, stream and perhaps tactic after"),
    (i6, ", parameter 'x': expected Tensor, got TensorDesc"),
    (i7, r", parameter 'outputs': expected Tuple\[Tensor, ...\], got tuple\[TensorDesc\]"),
    (i8, ", parameter 'stream': expected int, got str"),
    (i9, ", parameter 'tactic': expected int, got str"),
    (i10, ", return value: expected None, got int"),
    (i11, ": expected outputs, stream and perhaps tactic after"),
    (i12, r", parameter 'outputs': expected Tuple\[Tensor, ...\], got Tensor"),
    (i13, r", parameter 'y': expected the inputs in the order of register \(x, y\), got \(y, x,"),
    (i14, r", parameter 'y': expected the inputs in the order of register \(x, y\), got \(y, z,"),
]


def a1(x, y, outputs, stream): ...
def a2(x, y, outputs) -> int: ...
def a3(x: Tensor, y, outputs): ...


AUTOTUNE = [
    (a1, ": expected outputs after inputs and attributes"),
    (a2, r", return value: expected List\[AutoTuneCombination\], got int"),
    (a3, ", parameter 'x': expected TensorDesc, got Tensor"),
]


def c1(x, y, outputs, stream): ...
def c2(x, y, outputs) -> Tuple[str, str]: ...
def c3(x, y, outputs, tactic: float): ...


AOT = [
    (c1, ": expected outputs and perhaps tactic after inputs and attributes"),
    (c2, r", return value: expected Tuple\[str \| bytes, .* got tuple\[str, str\]"),
    (c3, ", parameter 'tactic': expected int, got float"),
]


@pytest.mark.parametrize(
    ("role", "function", "message"),
    [
        (role, *row)
        for role, rows in (("impl", IMPL), ("autotune", AUTOTUNE), ("aot_impl", AOT))
        for row in rows
    ],
)
def test_the_others_against_register(role, function, message):
    plugin_id = define(base)
    with pytest.raises(TypeError, match=f"{plugin_id}, {role}{message}"):
        getattr(trtp, role)(plugin_id)(function)
    assert getattr(definition_of(plugin_id), f"{role}_func") is None


@pytest.mark.parametrize("role", ["impl", "autotune", "aot_impl"])
def test_functions_without_register(role):
    plugin_id = define(base)
    with pytest.raises(ValueError, match=rf"near names: .*{plugin_id}.*Put register before {role}"):
        getattr(trtp, role)(plugin_id=plugin_id + "x")(base)


@pytest.mark.parametrize("role", ["impl", "autotune", "aot_impl"])
def test_a_second_function(role):
    functions = {
        "impl": lambda x, y, outputs, stream: None,
        "autotune": lambda x, y, outputs: None,
        "aot_impl": lambda x, y, outputs: None,
    }
    plugin_id = define(base, **{role: functions[role]})
    with pytest.raises(ValueError, match=f"{plugin_id}, {role}: expected one function, got a sec"):
        getattr(trtp, role)(plugin_id)(functions[role])


@pytest.mark.parametrize("wrong", ["add", "a::b::c", "::add", "a::", ""])
def test_ids(wrong):
    for decorator in (trtp.register, trtp.impl):
        with pytest.raises(ValueError, match="plugin_id: expected 'namespace::name', got"):
            decorator(wrong)(base)
    with pytest.raises(TypeError, match="plugin_id: expected a str such as"):
        trtp.register(plugin_id=7)


def test_the_reserved_namespace():
    with pytest.raises(ValueError, match="trt::add: expected a namespace of your own, got 'trt'"):
        trtp.register("trt::add")
    assert "trt" not in dir(trtp.op)


def test_an_id_once():
    plugin_id = define(base)
    with pytest.raises(ValueError, match=f"{plugin_id}: expected an id that is not in use, got .*"):
        trtp.register(plugin_id)(base)


def test_an_id_of_another_plugin():
    """A creator of another style already has the name."""

    class Creator(trt.IPluginCreatorV3One):
        def __init__(self, name):
            super().__init__()
            self.name, self.plugin_version, self.plugin_namespace = name, "1", "lab"
            self.field_names = trt.PluginFieldCollection()

        def create_plugin(self, name, field_collection, phase): ...

    plugin_id = new_id()
    creator = Creator(plugin_id.partition("::")[2])
    assert trt.get_plugin_registry().register_creator(creator, "lab")
    with pytest.raises(ValueError, match="expected a name and namespace that are free"):
        trtp.register(plugin_id)(base)
    assert plugin_id not in trtp._lib.QDP_REGISTRY
    trt.get_plugin_registry().deregister_creator(creator)
    trtp.register(plugin_id)(base)


def test_not_a_function():
    with pytest.raises(TypeError, match="register: expected a function, got int"):
        trtp.register(new_id())(7)


def test_decorators_return_the_function():
    plugin_id = new_id()
    assert trtp.register(plugin_id, lazy_register=True)(base) is base

    def impl(x, y, outputs, stream): ...

    assert trtp.impl(plugin_id)(impl) is impl
    assert definition_of(plugin_id).impl_func is impl


def test_names_that_op_lacks():
    plugin_id = define(base)
    name = plugin_id.partition("::")[2]
    assert name in dir(trtp.op.lab) and "lab" in dir(trtp.op)
    with pytest.raises(AttributeError, match=f"op.lab.{name}x: expected a plugin .*near names"):
        getattr(trtp.op.lab, name + "x")
    with pytest.raises(AttributeError, match=r"op.lub: expected a namespace .*near names: lab"):
        trtp.op.lub  # noqa: B018
    assert type(op_of(plugin_id)) is trtp._lib.PluginDef


def test_a_definition_of_nothing():
    definition = trtp._lib.PluginDef()
    for name in ("register_func", "impl_func", "autotune_func", "aot_impl_func", "num_outputs"):
        assert getattr(definition, name) is None
    assert not definition.expects_tactic


def newer(x: Annotated[Desc, "input"], size: Annotated[int, "bytes"]) -> tuple[Desc, ...]:
    return (x.like(),)


def newer_impl(
    x: Tensor, size: int, outputs: tuple[Tensor, ...], stream: int, tactic: int
) -> None: ...


def newer_aot(
    x: Desc, outputs: tuple[Desc, Desc], tactic: int
) -> tuple[str | bytes, Union[str, bytes], trtp.KernelLaunchParams, trtp.SymExprs]: ...


def newer_autotune(x: Desc, outputs: tuple[Desc]) -> list[trtp.AutoTuneCombination]: ...


def test_annotations_of_today():
    definition = definition_of(define(newer, newer_impl, newer_autotune, newer_aot))
    assert definition.expects_tactic and definition.num_outputs is None
    assert definition.impl_attr_names == ["size"]
    assert definition.aot_impl_attr_names == definition.autotune_attr_names == []


def pair(x: Desc) -> tuple[Desc, Desc]:
    return x.like(), x.like()


def three(x, outputs: tuple[Tensor, Tensor, Tensor], stream): ...
def some(x, outputs: tuple[Tensor], stream): ...


def test_the_number_of_outputs():
    plugin_id = define(pair)
    assert definition_of(plugin_id).num_outputs == 2
    assert definition_of(define(base)).num_outputs is None
    with pytest.raises(TypeError, match="'outputs': expected 2 outputs, as in register, got a tup"):
        trtp.impl(plugin_id)(three)
    trtp.impl(plugin_id)(some)
