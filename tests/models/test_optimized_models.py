# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models that ONNX Runtime has optimized and written, with the operators that its tools fuse."""

import logging
import sys
from pathlib import Path

import onnxruntime
import pytest

import onnx

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from export import export_bytes  # noqa: E402
from model_checks import as_arrays, compare, open_engine, run  # noqa: E402
from small import SMALL  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

LEVEL = onnxruntime.GraphOptimizationLevel


def session(source, level, target=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    if target is not None:
        options.optimized_model_filepath = str(target)
    return onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def by_session(source, target):
    session(source, LEVEL.ORT_ENABLE_EXTENDED, target)


def by_tool(kind):
    def optimize(source, target):
        from onnxruntime.transformers import optimizer

        optimizer.optimize_model(str(source), model_type=kind, opt_level=0).save_model_to_file(
            str(target)
        )

    return optimize


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "optimize", "operator"),
    [
        pytest.param("resnet", by_session, "FusedConv", id="resnet"),
        pytest.param("yolo", by_session, "QuickGelu", id="yolo"),
        pytest.param("bert", by_session, "FusedMatMul", id="bert"),
        pytest.param("dlrm", by_session, "FusedGemm", id="dlrm"),
        pytest.param("bert_dynamic", by_tool("bert"), "SkipLayerNormalization", id="bert_tool"),
        pytest.param("gpt2", by_tool("gpt2"), "FastGelu", id="gpt2_tool"),
        pytest.param("llama", by_tool("gpt2"), "SkipSimplifiedLayerNormalization", id="llama_tool"),
    ],
)
def test_against_onnxruntime(name, optimize, operator, tmp_path):
    logging.getLogger().setLevel(logging.ERROR)  # the tools count what they fuse
    model = SMALL[name]
    source, target = tmp_path / "source.onnx", tmp_path / "optimized.onnx"
    source.write_bytes(export_bytes(model, 17))
    optimize(source, target)
    optimized = onnx.load(target)
    assert operator in {node.op_type for node in optimized.graph.node}
    data = as_arrays(model.data())
    values = session(target, LEVEL.ORT_DISABLE_ALL).run(list(model.outputs), data)
    wanted = dict(zip(model.outputs, values, strict=True))
    engine = open_engine(optimized.SerializeToString(), shapes=model.profile())
    compare(run(engine, data), wanted, 1e-4)
