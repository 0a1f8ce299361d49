# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The package itself: names, the command line, import time."""

import subprocess
import sys

import kiln
import pytest
import tensorrt


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_tensorrt_is_kiln():
    assert tensorrt is kiln
    assert sys.modules["tensorrt.tensorrt"] is kiln
    assert tensorrt.tensorrt.ITensor is tensorrt.ITensor  # the name of the compiled module


def test_install_as_tensorrt_comes_first(tmp_path):
    (tmp_path / "tensorrt.py").write_text("stranger = True\n")
    program = "import sys; sys.path.insert(0, '.'); import tensorrt, kiln; kiln.{}()"
    result = python("-c", program.format("install_as_tensorrt"), cwd=tmp_path)
    assert "expected to come before any import of tensorrt" in result.stderr
    program = "import kiln; kiln.install_as_tensorrt(); import tensorrt; print(tensorrt is kiln)"
    assert python("-c", program, cwd=tmp_path).stdout == "True\n"


def test_run_a_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, tensorrt, helper\nprint(tensorrt.__name__, sys.argv[1:], __name__)\n"
    )
    (tmp_path / "helper.py").write_text("")
    result = python("-m", "kiln", "run", str(program), "--flag", "x")
    assert result.stdout == "kiln ['--flag', 'x'] __main__\n", result.stderr
    assert python("-m", "kiln", "run", "absent.py").returncode == 2


def test_info_and_config():
    text = python("-m", "kiln", "info").stdout
    assert kiln.kiln_version in text
    assert "TensorRT 10.16.1" in text
    assert all(name in text for name in ("target cuda", "NVRTC", "cuBLASLt", "cuDNN"))
    assert python("-m", "kiln", "config", "--includedir").stdout.strip().endswith("include")
    assert python("-m", "kiln", "config", "--cmakedir").stdout.strip().endswith("cmake/Kiln")


def identity_plan(logger):
    builder = kiln.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", kiln.float32, (2,))
    layer = network.add_identity(x)
    network.mark_output(layer.get_output(0))
    return bytes(builder.build_serialized_network(network, builder.create_builder_config()))


def test_check_a_plan(logger, tmp_path):
    plan = identity_plan(logger)
    path = tmp_path / "identity.plan"
    path.write_bytes(plan)
    assert kiln.check_plan(path, logger)
    result = python("-m", "kiln", "check", str(path))
    assert result.returncode == 0
    assert result.stdout.endswith(f"{path}: sound\n")
    path.write_bytes(plan[: len(plan) // 2])
    assert not kiln.check_plan(path, logger)
    assert python("-m", "kiln", "check", str(path)).returncode == 1


def test_open_engine(logger, tmp_path):
    runtime = kiln.Runtime(logger)
    path = tmp_path / "identity.plan"
    assert kiln.open_engine(runtime, path) is None
    assert "identity.plan" in logger.errors()
    path.write_bytes(identity_plan(logger))
    engine = kiln.open_engine(runtime, str(path))
    assert (engine.num_io_tensors, engine[0]) == (2, "x")
    assert (engine[-1], engine[-2]) == (engine[1], "x")
    for index in (2, -3):
        with pytest.raises(IndexError, match=f"index {index} is out of range for 2 tensors"):
            engine[index]


def test_import_time():
    program = (
        "import numpy, time, importlib.metadata, traceback\n"
        "start = time.process_time(); import kiln; print(time.process_time() - start)"
    )
    # The best CPU time of several runs, so that other processes do not affect the result.
    assert min(float(python("-c", program).stdout) for _ in range(5)) <= 0.060
