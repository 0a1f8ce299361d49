# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models quantized by ONNX Runtime's tools with the settings that people use."""

import logging
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnxruntime import quantization as ort
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

import onnx
from onnx import TensorProto, helper

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from export import export_bytes  # noqa: E402
from model_checks import as_arrays, compare, expected, open_engine, run  # noqa: E402
from small import SMALL  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

INT8, UINT8 = ort.QuantType.QInt8, ort.QuantType.QUInt8


class Samples(ort.CalibrationDataReader):
    """The model's own inputs, twice."""

    def __init__(self, model):
        self.left = [as_arrays(model.data())] * 2

    def get_next(self):
        return self.left.pop() if self.left else None


def dynamic(**settings):
    return lambda source, target, model: ort.quantize_dynamic(source, target, **settings)


def static(**settings):
    return lambda source, target, model: ort.quantize_static(
        source, target, Samples(model), **settings
    )


def blocks(**settings):
    def quantize(source, target, model):
        quantizer = MatMulNBitsQuantizer(onnx.load(source), **settings)
        quantizer.process()
        quantizer.model.save_model_to_file(str(target))

    return quantize


WAYS = {
    "dynamic": dynamic(),
    "dynamic_uint8": dynamic(weight_type=UINT8),
    "dynamic_channels": dynamic(per_channel=True, reduce_range=True),
    "static": static(),
    "static_uint8": static(activation_type=UINT8, weight_type=UINT8),
    "static_channels": static(activation_type=UINT8, weight_type=INT8, per_channel=True),
    "static_pairs": static(extra_options={"DedicatedQDQPair": True, "AddQDQPairToWeight": True}),
    "static_operators": static(quant_format=ort.QuantFormat.QOperator),
    "blocks": blocks(block_size=16, is_symmetric=True),
    "blocks_zeros": blocks(block_size=32, is_symmetric=False),
    "blocks_8_bits": blocks(bits=8, block_size=32, is_symmetric=False),
    "blocks_pairs": blocks(block_size=16, is_symmetric=True, quant_format=ort.QuantFormat.QDQ),
}

CASES = [
    *(("resnet", way) for way in ("dynamic", "dynamic_channels", "static", "static_uint8")),
    *(("bert_dynamic", way) for way in WAYS if way != "static_operators"),
    *(("gpt2", way) for way in ("dynamic", "static_pairs", "static_operators", "blocks_zeros")),
    *(("lstm_tagger", way) for way in ("static_operators", "blocks", "blocks_8_bits")),
    *(("yolo", way) for way in ("static_channels", "dynamic")),
]


def quantized(name, way, folder):
    logging.getLogger().setLevel(logging.ERROR)  # the tool advises its own preprocessing
    source, target = folder / "float.onnx", folder / "quantized.onnx"
    source.write_bytes(export_bytes(SMALL[name], 17))
    WAYS[way](source, target, SMALL[name])
    return onnx.load(target).SerializeToString()


def with_whole_sums(serialized):
    """The model with products of int32 in the place of uint8 by int8.

    Those of ONNX Runtime overflow on processors without VNNI, as its documentation says.
    """
    model = onnx.load_from_string(serialized)
    nodes = []
    for node in model.graph.node:
        if node.op_type != "MatMulInteger":
            nodes.append(node)
            continue
        factors = []
        for i, operand in enumerate(node.input[:2]):
            name = f"{node.output[0]}/factor{i}"
            nodes.append(helper.make_node("Cast", [operand], [name], to=TensorProto.INT32))
            if len(node.input) > 2 + i and node.input[2 + i]:
                zero = f"{name}/zero"
                to = TensorProto.INT32
                nodes.append(helper.make_node("Cast", [node.input[2 + i]], [zero], to=to))
                nodes.append(helper.make_node("Sub", [name, zero], [f"{name}/shifted"]))
                name = f"{name}/shifted"
            factors.append(name)
        nodes.append(helper.make_node("MatMul", factors, node.output))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model.SerializeToString()


def compare_steps(results, wanted):
    """Sums in another order may round to the neighbour, one step of 255 away, in some places."""
    for name, values in wanted.items():
        largest = np.abs(values).max(initial=0)
        apart = np.abs(results[name] - values)
        assert apart.max(initial=0) <= 0.01 * largest, name
        assert (apart <= 1e-5 * largest).mean() > 0.8, name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "way"), CASES)
def test_against_onnxruntime(name, way, tmp_path):
    model = SMALL[name]
    serialized = quantized(name, way, tmp_path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(with_whole_sums(serialized), options)
    data = as_arrays(model.data())
    wanted = dict(zip(model.outputs, session.run(list(model.outputs), data), strict=True))
    results = run(open_engine(serialized, shapes=model.profile()), data)
    if (name, way) == ("yolo", "static_channels"):
        compare_steps(results, wanted)
    else:
        compare(results, wanted, 1e-5)


@pytest.mark.filterwarnings("ignore")
def test_lstm(tmp_path):
    """ONNX Runtime rounds each input and state to 8 bits; here only the weights are."""
    model = SMALL["lstm_tagger"]
    serialized = quantized("lstm_tagger", "dynamic", tmp_path)
    kinds = {node.op_type for node in onnx.load_from_string(serialized).graph.node}
    assert "DynamicQuantizeLSTM" in kinds
    data = model.data()
    results = run(open_engine(serialized, shapes=model.profile()), as_arrays(data))
    compare(results, expected(model, data), 0.03)
    session = onnxruntime.InferenceSession(serialized)
    (wanted,) = session.run(None, as_arrays(data))
    np.testing.assert_allclose(results["output"], wanted, 0, 0.03 * np.abs(wanted).max())
