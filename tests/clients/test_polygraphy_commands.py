# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Polygraphy's command line, each command in its own process."""

import client_models as models
import numpy as np
import pytest
from client_models import EXAMPLES

SHAPES = [
    "--trt-min-shapes=x:[1,3,4]",
    "--trt-opt-shapes=x:[2,3,4]",
    "--trt-max-shapes=x:[8,3,4]",
]


@pytest.fixture
def model(tmp_path):
    return models.add_and_relu(tmp_path / "model.onnx")


def test_run_against_onnx_runtime(kiln_run, model):
    text = kiln_run("polygraphy", "run", model, "--trt", "--onnxrt", *SHAPES)
    assert "PASSED | simple | All outputs matched | Outputs: ['y']" in text
    text = kiln_run("polygraphy", "run", model, "--trt", "--onnxrt", "--trt-outputs", "mark", "all",
                    "--onnx-outputs", "mark", "all", "--input-shapes", "x:[3,3,4]")  # fmt: skip
    assert "Outputs: ['total', 'y']" in text


def test_convert_inspect_and_run_the_engine(kiln_run, model, tmp_path):
    plan = tmp_path / "model.plan"
    kiln_run("polygraphy", "convert", model, "-o", plan, *SHAPES)
    text = kiln_run("polygraphy", "inspect", "model", plan, "--show", "layers", "attrs", "weights")
    assert "Name: onnx_graphsurgeon_graph | Explicit Batch Engine" in text
    assert "{x [dtype=float32, shape=(-1, 3, 4)]}" in text
    assert "min=(1, 3, 4), opt=(2, 3, 4), max=(8, 3, 4)" in text
    assert "Tactic = cpu/" in text
    saved = ["--save-inputs", "in.json", "--save-outputs", "out.json"]
    kiln_run("polygraphy", "run", plan, "--trt", "--input-shapes", "x:[5,3,4]", *saved)
    loaded = ["--load-inputs", "in.json", "--load-outputs", "out.json"]
    assert "PASSED" in kiln_run("polygraphy", "run", plan, "--trt", *loaded)
    assert "PASSED" in kiln_run("polygraphy", "run", model, "--onnxrt", *loaded)


def test_inspect_the_model_as_a_network(kiln_run, model, tmp_path):
    text = kiln_run("polygraphy", "inspect", "model", model)
    assert "==== ONNX Model ====" in text
    show = ["--show", "layers", "attrs", "weights"]
    text = kiln_run("polygraphy", "inspect", "model", model, "--display-as=trt", *show)
    assert "adding [Op: LayerType.ELEMENTWISE]" in text
    assert "adding.op = ElementWiseOperation.SUM" in text
    assert "relu.alpha = 0.0" in text
    onnx_like = tmp_path / "like.onnx"
    kiln_run("polygraphy", "convert", model, "--convert-to=onnx-like-trt-network", "-o", onnx_like)
    assert onnx_like.stat().st_size > 0


def test_a_plugin_in_python(kiln_run, tmp_path):
    model = models.circ_pad(tmp_path / "pad.onnx", plugin_version="2")
    plugin = f"--plugins={EXAMPLES / 'circ_pad' / 'circ_pad_v3.py'}"
    plan = tmp_path / "pad.plan"
    text = kiln_run(plugin, "polygraphy", "run", model, "--trt", "--save-engine", plan)
    assert "PASSED" in text
    text = kiln_run(plugin, "polygraphy", "inspect", "model", plan, "--show", "layers")
    assert "the_CircPadPlugin" in text
    text = kiln_run("polygraphy", "inspect", "model", plan, code=1)
    assert "needs plugin CircPadPlugin (version 2) (Python, IPluginV3)" in text


def test_calibration_with_random_batches(kiln_run, model):
    text = kiln_run("polygraphy", "run", model, "--trt", "--int8")
    assert "PASSED" in text


def test_a_script_with_the_network(kiln_run, model, tmp_path):
    script = tmp_path / "network.py"
    kiln_run("polygraphy", "template", "trt-network", model, "-o", script)
    text = kiln_run("polygraphy", "run", script, "--model-type=trt-network-script", "--trt")
    assert "PASSED" in text


def test_a_program_of_the_user(kiln_run, model, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "from polygraphy.backend.trt import EngineFromNetwork, NetworkFromOnnxPath, TrtRunner\n"
        "with TrtRunner(EngineFromNetwork(NetworkFromOnnxPath('model.onnx'))) as runner:\n"
        "    print('sum', runner.infer({'x': np.ones((1, 3, 4), np.float32)})['y'].sum())\n"
    )
    expected = np.maximum(np.linspace(-1, 1, 12) + 1, 0).sum()
    assert f"sum {expected}" in kiln_run(program)
