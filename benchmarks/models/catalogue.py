# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The models of the benchmarks: how to make each, in its real size and small, and its inputs."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from definitions.bert import Bert
from definitions.convnext import ConvNeXt
from definitions.efficientnet import B0, EfficientNet
from definitions.gpt2 import Gpt2
from definitions.mobilenet import LARGE, MobileNetV3
from definitions.resnet import ResNet
from definitions.whisper import WhisperEncoder

SEED = 20


@dataclass(frozen=True)
class Model:
    """One network at one size and batch. `inputs(generator)` gives its inputs by name."""

    make: Callable[[], torch.nn.Module]
    inputs: Callable[[torch.Generator], dict[str, torch.Tensor]]
    outputs: tuple[str, ...] = ("output",)
    images: bool = False  # channels-last is worth trying
    dynamic: dict[str, Any] = field(default_factory=dict)  # dynamic_axes of torch.onnx.export

    def module(self):
        """The network with the weights that every process makes from the same seed."""
        torch.manual_seed(SEED)
        module = self.make().eval().requires_grad_(False)
        for layer in module.modules():
            settle(layer)
        return module

    def data(self):
        """Inputs by name, the same in every process."""
        return self.inputs(torch.Generator().manual_seed(SEED + 1))


def settle(layer):
    """Gives a layer weights that keep the size of activations, and means and scales not trivial."""
    if isinstance(layer, torch.nn.BatchNorm2d):
        layer.running_mean.normal_(0, 0.1)
        layer.running_var.uniform_(0.8, 1.2)
        layer.weight.uniform_(0.8, 1.2)
        layer.bias.normal_(0, 0.1)
    elif isinstance(layer, torch.nn.LayerNorm):
        layer.weight.uniform_(0.8, 1.2)
        layer.bias.normal_(0, 0.1)
    elif isinstance(layer, torch.nn.Embedding):
        layer.weight.normal_(0, 0.3)
    elif isinstance(layer, torch.nn.Conv1d | torch.nn.Conv2d | torch.nn.Linear):
        inputs = layer.weight[0].numel()
        layer.weight.normal_(0, math.sqrt(1.3 / inputs))


def image(batch, size):
    """An image of 3 channels."""
    return lambda generator: {"image": torch.randn(batch, 3, size, size, generator=generator)}


def tokens(batch, length, vocabulary):
    """Tokens; those of the last fifth are masked."""

    def inputs(generator):
        shape = (batch, length)
        mask = torch.ones(shape, dtype=torch.int64)
        mask[:, length - length // 5 :] = 0
        return {
            "input_ids": torch.randint(vocabulary, shape, generator=generator),
            "attention_mask": mask,
            "token_type_ids": torch.randint(2, shape, generator=generator),
        }

    return inputs


def decoding(layers, heads, width, past, vocabulary):
    """One token after `past` others."""

    def inputs(generator):
        shape = (1, heads, past, width // heads)
        values = {
            "input_ids": torch.randint(vocabulary, (1, 1), generator=generator),
            "position_ids": torch.tensor([[past]]),
        }
        for i in range(layers):
            for part in ("key", "value"):
                values[f"past_{i}_{part}"] = torch.randn(shape, generator=generator)
        return values

    return inputs


def present(layers):
    """Names of the outputs of decoding."""
    return ("logits", *(f"present_{i}_{part}" for i in range(layers) for part in ("key", "value")))


def mel(bands, frames):
    """A spectrogram."""
    return lambda generator: {"mel": torch.randn(1, bands, frames, generator=generator)}


BERT_OUTPUTS = ("hidden", "pooled")

MODELS = {
    "resnet50": Model(ResNet, image(1, 224), images=True),
    "resnet50_b8": Model(ResNet, image(8, 224), images=True),
    "bert_base_128": Model(Bert, tokens(1, 128, 30522), BERT_OUTPUTS),
    "gpt2_decode_512": Model(Gpt2, decoding(12, 12, 768, 512, 50257), present(12)),
    "efficientnet_b0": Model(EfficientNet, image(1, 224), images=True),
    "mobilenet_v3": Model(MobileNetV3, image(1, 224), images=True),
    "convnext_tiny": Model(ConvNeXt, image(1, 224), images=True),
    "whisper_base": Model(WhisperEncoder, mel(80, 3000)),
    # For GPUs.
    "resnet50_b32": Model(ResNet, image(32, 224), images=True),
    "resnet50_b128": Model(ResNet, image(128, 224), images=True),
    "bert_base_32x128": Model(Bert, tokens(32, 128, 30522), BERT_OUTPUTS),
}

# The same networks with few and narrow layers, for tests.
SMALL = {
    "resnet": Model(lambda: ResNet((1, 2), 8, 10), image(2, 32)),
    "bert": Model(lambda: Bert(2, 32, 4, 50, 16), tokens(2, 10, 50), BERT_OUTPUTS),
    "bert_dynamic": Model(
        lambda: Bert(1, 32, 4, 50, 16),
        tokens(2, 10, 50),
        BERT_OUTPUTS,
        dynamic={
            name: {0: "batch", 1: "length"}
            for name in ("input_ids", "attention_mask", "token_type_ids")
        },
    ),
    "gpt2": Model(lambda: Gpt2(2, 32, 4, 60, 16), decoding(2, 4, 32, 6, 60), present(2)),
    "efficientnet": Model(lambda: EfficientNet(B0[:3], 16, 32, 10), image(1, 32)),
    "mobilenet": Model(
        lambda: MobileNetV3((LARGE[0], LARGE[3], (3, 80, 24, True, True, 1)), 32, 10), image(1, 32)
    ),
    "convnext": Model(lambda: ConvNeXt((1, 1), 16, 10), image(1, 32)),
    "whisper": Model(lambda: WhisperEncoder(2, 32, 4, 16, 12), mel(16, 24)),
}
