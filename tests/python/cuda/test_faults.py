# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a GPU, each in its own process."""

import numpy as np
import pytest
from cudalab import class_based, decorated, run_program

NAMES = {"impl": "lab::pokes", "aot": "lab::pokes", "enqueue": "Lab"}
X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.faults
@pytest.mark.parametrize("style", NAMES)
def test_exact_when_asked_for(gpu, style):
    """KILN_SYNC=1 waits after each layer."""
    code, output = run_program("fault_program.py", style, KILN_SYNC="1")
    assert code == 0, output
    assert "results: False False" in output, output
    assert "layer 'bad'" in output and NAMES[style] in output, output
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in output, output


@pytest.mark.faults
@pytest.mark.parametrize("style", NAMES)
def test_named_at_the_next_check(gpu, style):
    code, output = run_program("fault_program.py", style, KILN_SYNC="0")
    assert code == 0, output
    assert "results: True False" in output, output
    assert "synchronize: cuStreamSynchronize: CUDA error 700" in output, output
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in output and "KILN_SYNC=1" in output, output


@pytest.mark.parametrize("make", [decorated, class_based])
def test_exceptions(logger, make):
    """The traceback names the layer; the context works again afterwards."""
    turn = []

    def impl(x, outputs, stream):
        if turn:
            raise ZeroDivisionError("on purpose")

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        impl(None, None, stream)

    runner = make(logger, impl if make is decorated else enqueue).bind(x=X)
    turn.append(1)
    assert not runner.run()
    assert "ZeroDivisionError: on purpose" in logger.errors()
    turn.clear()
    assert runner.run(), logger.errors()


def test_missing_nvrtc(tmp_path):
    program = (
        "import kiln, tensorrt as trt\n"
        "kiln.set_default_target('cuda')\n"
        "builder = trt.Builder(trt.Logger(trt.Logger.ERROR))\n"
        "network = builder.create_network(0)\n"
        "y = network.add_unary(network.add_input('x', trt.float32, (4,)), trt.UnaryOperation.NEG)\n"
        "network.mark_output(y.get_output(0))\n"
        "print(builder.build_serialized_network(network, builder.create_builder_config()))\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    code, output = run_program(path, KILN_NVRTC=str(tmp_path / "nowhere.so"))
    assert code == 0 and output.rstrip().endswith("None"), output
    assert "NVRTC was not opened, KILN_NVRTC=" in output and "Correct the variable" in output
