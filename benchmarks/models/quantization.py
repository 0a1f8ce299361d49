# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantizes an exported model to 8 bits with ONNX Runtime's tools: pairs of QuantizeLinear."""

import logging
import tempfile
from pathlib import Path

CALIBRATIONS = 2


def quantized(serialized, model, operators=("Conv", "Gemm", "MatMul")):
    """Signed activations and weights of `operators`, one scale for each channel of a weight."""
    from onnxruntime import quantization as ort

    import onnx

    class Samples(ort.CalibrationDataReader):
        def __init__(self):
            self.left = CALIBRATIONS

        def get_next(self):
            if not self.left:
                return None
            self.left -= 1
            return {name: value.numpy() for name, value in model.data().items()}

    logging.getLogger().setLevel(logging.ERROR)  # the tool advises its own preprocessing
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "float.onnx", Path(folder) / "quantized.onnx"
        source.write_bytes(serialized)
        ort.quantize_static(
            source,
            target,
            Samples(),
            quant_format=ort.QuantFormat.QDQ,
            activation_type=ort.QuantType.QInt8,
            weight_type=ort.QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=list(operators),
            extra_options={"ActivationSymmetric": True, "WeightSymmetric": True},
        )
        return onnx.load(target).SerializeToString()
