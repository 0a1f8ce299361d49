# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One layer of a model is a plugin: a node renamed, or one that torch exports by that name."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

import tensorrt.plugin as trtp  # noqa: E402
from definitions.transformer import RMSNorm  # noqa: E402
from export import export_bytes  # noqa: E402
from model import Model  # noqa: E402
from model_checks import check_extents  # noqa: E402
from small import SMALL  # noqa: E402

import onnx  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

calls = []


def as_torch(tensor):
    return torch.as_tensor(tensor, device=tensor.device)


def unary(name, function):
    """Registers a plugin for a function of one tensor."""

    def describe(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return x.like()

    def compute(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
        calls.append(name)
        as_torch(outputs[0]).copy_(function(as_torch(x)))

    trtp.register(f"models::{name}")(describe)
    trtp.impl(f"models::{name}")(compute)


unary("OwnRelu", torch.relu)
unary("OwnHardSwish", torch.nn.functional.hardswish)
unary("OwnSoftmax", lambda x: x.softmax(-1))
unary("OwnGelu", lambda x: torch.nn.functional.gelu(x, approximate="tanh"))


@trtp.register("models::OwnLayerNormalization")
def layer_norm_desc(
    x: trtp.TensorDesc, weight: trtp.TensorDesc, bias: trtp.TensorDesc, epsilon: float
) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("models::OwnLayerNormalization")
def layer_norm(
    x: trtp.Tensor,
    weight: trtp.Tensor,
    bias: trtp.Tensor,
    epsilon: float,
    outputs: tuple[trtp.Tensor],
    stream: int,
) -> None:
    calls.append("OwnLayerNormalization")
    weights = as_torch(weight), as_torch(bias)
    result = torch.nn.functional.layer_norm(as_torch(x), weights[0].shape, *weights, epsilon)
    as_torch(outputs[0]).copy_(result)


@trtp.register("models::OwnConvTranspose")
def conv_transpose_desc(
    x: trtp.TensorDesc, weight: trtp.TensorDesc, bias: trtp.TensorDesc
) -> trtp.TensorDesc:
    y = x.like()
    y.shape_expr[1] = weight.shape_expr[1]
    y.shape_expr[2] = x.shape_expr[2] * 2
    y.shape_expr[3] = x.shape_expr[3] * 2
    return y


@trtp.impl("models::OwnConvTranspose")
def conv_transpose(
    x: trtp.Tensor,
    weight: trtp.Tensor,
    bias: trtp.Tensor,
    outputs: tuple[trtp.Tensor],
    stream: int,
) -> None:
    calls.append("OwnConvTranspose")
    tensors = (as_torch(tensor) for tensor in (x, weight, bias))
    as_torch(outputs[0]).copy_(torch.nn.functional.conv_transpose2d(*tensors, stride=2))


@trtp.register("models::OwnRMSNorm")
def rms_norm_desc(x: trtp.TensorDesc, weight: trtp.TensorDesc, epsilon: float) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("models::OwnRMSNorm")
def rms_norm(
    x: trtp.Tensor,
    weight: trtp.Tensor,
    epsilon: float,
    outputs: tuple[trtp.Tensor],
    stream: int,
) -> None:
    calls.append("OwnRMSNorm")
    values = as_torch(x)
    scale = torch.rsqrt(values.pow(2).mean(-1, keepdim=True) + epsilon)
    as_torch(outputs[0]).copy_(values * scale * as_torch(weight))


def with_plugin(serialized, op_type):
    """The model with its first node of a type renamed to that of a plugin."""
    model = onnx.load_from_string(serialized)
    node = next(node for node in model.graph.node if node.op_type == op_type)
    node.op_type = f"Own{op_type}"
    node.domain = "models"
    node.attribute.append(onnx.helper.make_attribute("plugin_namespace", "models"))
    model.opset_import.append(onnx.helper.make_opsetid("models", 1))
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("name", "op_type"),
    [
        ("resnet", "Relu"),
        ("mobilenet", "HardSwish"),
        ("unet", "ConvTranspose"),
        ("vit", "Softmax"),
        ("swin", "Softmax"),
        ("bert_dynamic", "LayerNormalization"),
        ("gpt2", "Gelu"),
        ("whisper_decoder", "LayerNormalization"),
    ],
)
def test_node_that_is_a_plugin(name, op_type):
    model = SMALL[name]
    calls.clear()
    check_extents(model, with_plugin(export_bytes(model), op_type))
    assert set(calls) == {f"Own{op_type}"}


class Exported(torch.autograd.Function):
    """RMS normalization that torch exports as one node, of a type that only the plugin knows."""

    @staticmethod
    def forward(ctx, x, weight, epsilon):
        return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon))

    @staticmethod
    def symbolic(g, x, weight, epsilon):
        node = g.op("models::OwnRMSNorm", x, weight, epsilon_f=epsilon, plugin_namespace_s="models")
        node.setType(x.type())
        return node


class OwnNorm(RMSNorm):
    def forward(self, x):
        return Exported.apply(x, self.weight, self.eps)


def with_own_norm(make, width):
    def wrapped():
        module = make()
        module.norm = OwnNorm(width)
        return module

    return wrapped


@pytest.mark.parametrize("name", ["llama", "t5_encoder"])
def test_operator_that_torch_exports(name):
    small = SMALL[name]
    model = Model(
        with_own_norm(small.make, 32),
        small.inputs,
        small.outputs,
        False,
        small.dynamic,
        small.ranges,
    )
    calls.clear()
    check_extents(model, export_bytes(model))
    assert set(calls) == {"OwnRMSNorm"}
