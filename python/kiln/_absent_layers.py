# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Network methods and enums of layers that Kiln does not support yet."""

from types import ModuleType
from typing import Any

from kiln._core import ErrorCodeTRT, ILogger, INetworkDefinition
from kiln._enum import ApiEnum

# Programs use these enums before they add a layer.
ENUMS = {
    "AttentionIOForm": {"PADDED_BHND": 0, "PACKED_NHD": 1},
    "AttentionNormalizationOp": {"NONE": 0, "SOFTMAX": 1},
    "BoundingBoxFormat": {"CORNER_PAIRS": 0, "CENTER_SIZES": 1},
    "CausalMaskKind": {"NONE": 0, "UPPER_LEFT": 1, "LOWER_RIGHT": 2},
    "CollectiveOperation": {
        "ALL_REDUCE": 0,
        "ALL_GATHER": 1,
        "BROADCAST": 2,
        "REDUCE": 3,
        "REDUCE_SCATTER": 4,
        "ALL_TO_ALL": 5,
        "GATHER": 6,
        "SCATTER": 7,
    },
    "CumulativeOperation": {"SUM": 0},
    "InterpolationMode": {"NEAREST": 0, "LINEAR": 1, "CUBIC": 2},
    "KVCacheMode": {"LINEAR": 0},
    "LoopOutput": {"LAST_VALUE": 0, "CONCATENATE": 1, "REVERSE": 2},
    "MoEActType": {"NONE": 0, "SILU": 1},
    "ResizeCoordinateTransformation": {"ALIGN_CORNERS": 0, "ASYMMETRIC": 1, "HALF_PIXEL": 2},
    "ResizeRoundMode": {"HALF_UP": 0, "HALF_DOWN": 1, "FLOOR": 2, "CEIL": 3},
    "ResizeSelector": {"FORMULA": 0, "UPPER": 1},
    "ScaleMode": {"UNIFORM": 0, "CHANNEL": 1, "ELEMENTWISE": 2},
    "ScatterMode": {"ELEMENT": 0, "ND": 1},
    "TopKOperation": {"MAX": 0, "MIN": 1},
    "TripLimit": {"COUNT": 0, "WHILE": 1},
}
METHODS = (
    "add_assertion",
    "add_attention",
    "add_attention_v2",
    "add_cumulative",
    "add_deconvolution_nd",
    "add_dequantize",
    "add_dist_collective",
    "add_dynamic_quantize",
    "add_dynamic_quantize_v2",
    "add_einsum",
    "add_grid_sample",
    "add_if_conditional",
    "add_kv_cache_update",
    "add_loop",
    "add_lrn",
    "add_moe",
    "add_nms",
    "add_non_zero",
    "add_one_hot",
    "add_padding_nd",
    "add_parametric_relu",
    "add_quantize",
    "add_ragged_softmax",
    "add_resize",
    "add_reverse_sequence",
    "add_rotary_embedding",
    "add_scale",
    "add_scale_nd",
    "add_scatter",
    "add_squeeze",
    "add_topk",
    "add_unsqueeze",
)


def add_to(module: ModuleType) -> None:
    """Adds the missing enums to the module and the missing methods to INetworkDefinition."""
    make: Any = ApiEnum  # type checkers would take the functional call for a look-up of a member
    for name, members in ENUMS.items():
        if not hasattr(module, name):
            made = make(name, list(members.items()), module=module.__name__, qualname=name)
            made.__doc__ = "Of a layer that is not supported yet."
            setattr(module, name, made)
    for name in METHODS:
        if not hasattr(INetworkDefinition, name):
            setattr(INetworkDefinition, name, _refusal(name))


def _refusal(name: str) -> Any:
    """A method that reports an error to logger and error recorder, and returns None."""

    def refuse(self: INetworkDefinition, *arguments: Any, **named: Any) -> None:
        text = f"[network] {name}: this layer is not supported yet. The README lists what is."
        self.builder.logger.log(ILogger.Severity.ERROR, text)
        if self.error_recorder is not None:
            self.error_recorder.report_error(ErrorCodeTRT.UNSUPPORTED_STATE, text)

    refuse.__name__ = name
    refuse.__qualname__ = f"INetworkDefinition.{name}"
    refuse.__doc__ = "Not supported yet: returns None, and the logger gets the reason."
    return refuse
