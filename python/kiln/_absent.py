# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of the API for what Kiln does not do yet.

Programs compare a layer's class with all that the API has (Polygraphy does), so those of layers
that no network makes yet exist, without members. Other names say what is missing when they are
used.
"""

from types import ModuleType
from typing import NoReturn

from kiln._core import ILayer

# A class and its base, where that is not ILayer.
LAYERS = {
    "IAssertionLayer": "",
    "IAttentionBoundaryLayer": "",
    "IAttentionInputLayer": "IAttentionBoundaryLayer",
    "IAttentionOutputLayer": "IAttentionBoundaryLayer",
    "ICumulativeLayer": "",
    "IDeconvolutionLayer": "",
    "IDequantizeLayer": "",
    "IDistCollectiveLayer": "",
    "IDynamicQuantizeLayer": "",
    "IEinsumLayer": "",
    "IGridSampleLayer": "",
    "IIfConditionalBoundaryLayer": "",
    "IConditionLayer": "IIfConditionalBoundaryLayer",
    "IIfConditionalInputLayer": "IIfConditionalBoundaryLayer",
    "IIfConditionalOutputLayer": "IIfConditionalBoundaryLayer",
    "IKVCacheUpdateLayer": "",
    "ILRNLayer": "",
    "ILoopBoundaryLayer": "",
    "IIteratorLayer": "ILoopBoundaryLayer",
    "ILoopOutputLayer": "ILoopBoundaryLayer",
    "IRecurrenceLayer": "ILoopBoundaryLayer",
    "ITripLimitLayer": "ILoopBoundaryLayer",
    "IMoELayer": "",
    "INMSLayer": "",
    "INonZeroLayer": "",
    "INormalizationLayer": "",
    "IOneHotLayer": "",
    "IPaddingLayer": "",
    "IParametricReLULayer": "",
    "IQuantizeLayer": "",
    "IRaggedSoftMaxLayer": "",
    "IResizeLayer": "",
    "IReverseSequenceLayer": "",
    "IRotaryEmbeddingLayer": "",
    "IScaleLayer": "",
    "IScatterLayer": "",
    "ISqueezeLayer": "",
    "ITopKLayer": "",
    "IUnsqueezeLayer": "",
}
# What layers belong to.
GROUPS = ("IAttention", "IIfConditional", "ILoop")

FEATURES = {
    "OnnxParserRefitter": "refit",
    "Refitter": "refit",
}


def add_to(module: ModuleType) -> None:
    """Gives the module the classes that are absent."""
    for name, base in LAYERS.items():
        _add(module, name, getattr(module, base) if base else ILayer)
    for name in GROUPS:
        _add(module, name, object)


def _add(module: ModuleType, name: str, base: type) -> None:
    members = {
        "__doc__": "Not supported yet: no network makes one.",
        "__module__": module.__name__,
        "__slots__": (),
        "__init__": _refuse,
    }
    setattr(module, name, type(name, (base,), members))


def _refuse(self: object, *arguments: object, **named: object) -> NoReturn:
    raise TypeError(f"[kiln] {type(self).__name__}: expected to come from a network, got a call")


def explain(name: str) -> AttributeError:
    """The error for a name that the module does not have."""
    feature = FEATURES.get(name)
    if feature is None:
        return AttributeError(f"module 'kiln' has no attribute '{name}'", name=name)
    return AttributeError(
        f"[kiln] {name}: {feature} is not supported yet. The README lists what is.", name=name
    )
