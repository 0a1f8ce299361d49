# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Uses an installed wheel as people do: try_wheel.py <folder for what it writes>.

The interpreter's environment has the wheels and what they require; PATH has its programs alone, so
nothing can be compiled. Handwritten digits and their labels are the expected values.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[2] / "examples"
DIGITS = EXAMPLES / "digits"
PLUGIN = EXAMPLES / "circ_pad" / "circ_pad_v3.py"
LEAST = 0.95  # of the digits are recognised


def run(*command: str, code: int = 0) -> str:
    """What a program of the environment prints, which must be the one of this environment."""
    program = shutil.which(command[0])
    assert program and Path(program).parent == Path(sys.executable).parent, program
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def digits() -> "tuple[np.ndarray, np.ndarray]":
    """Images [1797, 1, 8, 8] in 0..1, and labels [1797]."""
    with np.load(DIGITS / "digits.npz") as data:
        return data["images"].astype(np.float32)[:, np.newaxis] / 16, data["labels"]


def recognised(scores: np.ndarray) -> None:
    """Fails unless the scores [1797, 10] name the right digits."""
    share = (scores.argmax(axis=1) == digits()[1]).mean()
    assert share > LEAST, f"expected {LEAST} of the digits to be recognised, got {share}"


def build(model: str) -> bytes:
    """Parses a model of the digits, builds a plan for all of them."""
    import tensorrt as trt

    logger = trt.Logger(trt.Logger.WARNING)
    builder = trt.Builder(logger)
    network = builder.create_network()
    parser = trt.OnnxParser(network, logger)
    assert parser.parse_from_file(str(DIGITS / "models" / model)), parser.get_error(0)
    profile = builder.create_optimization_profile()
    shape = digits()[0].shape
    profile.set_shape("x", (1, *shape[1:]), shape, shape)
    config = builder.create_builder_config()
    config.add_optimization_profile(profile)
    return bytes(builder.build_serialized_network(network, config))


def execute(plan: bytes) -> np.ndarray:
    """The scores [1797, 10] of an engine."""
    import kiln
    import tensorrt as trt

    images = digits()[0]
    engine = trt.Runtime(trt.Logger(trt.Logger.WARNING)).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    assert context.set_input_shape("x", images.shape)
    result = kiln.DeviceArray.empty((len(images), 10))
    assert context.execute_v2([kiln.DeviceArray(images), result])
    return result.numpy()


def try_python(folder: Path) -> None:
    """A model of built-in layers, and one with a plugin in Python, saved and opened again."""
    import tensorrt as trt

    recognised(execute(build("reference.onnx")))
    sys.path.insert(0, str(PLUGIN.parent))
    from circ_pad_v3 import CircPadPluginCreator

    assert trt.get_plugin_registry().register_creator(CircPadPluginCreator(), "")
    plan = build("digits.v2.float.onnx")
    (folder / "digits.plan").write_bytes(plan)
    recognised(execute(plan))


def try_trtexec(folder: Path) -> None:
    """Builds the model with the plugin in a program without Python of its own, and runs it."""
    images, _ = digits()
    images.tofile(folder / "digits.f32")
    shape = "x:" + "x".join(map(str, images.shape))
    run(
        "trtexec",
        f"--onnx={DIGITS / 'models' / 'digits.v2.float.onnx'}",
        f"--plugins={PLUGIN}",
        *(f"--{which}Shapes={shape}" for which in ("min", "opt", "max")),
        f"--loadInputs=x:{folder / 'digits.f32'}",
        f"--exportOutput={folder / 'output.json'}",
        f"--saveEngine={folder / 'trtexec.plan'}",
        "--iterations=1",
        "--duration=0",
        "--warmUp=0",
    )
    outputs = json.loads((folder / "output.json").read_text())
    recognised(np.array(outputs[0]["values"], np.float32).reshape(-1, 10))


def try_commands(folder: Path) -> None:
    """The commands, their manual pages and completion, and the doctor."""
    assert json.loads(run("kiln", "doctor", "--target=cpu", "--json"))["ready"]
    assert run("kiln", "doctor", "--target=cpu").endswith("target cpu: ready\n")
    assert run("kiln", "--version").startswith("kiln ")
    assert "CircPadPlugin" in run("kiln", "inspect", str(folder / "digits.plan"))
    run("kiln", "check", f"--plugins={PLUGIN}", str(folder / "digits.plan"))
    for name in ("kiln", "trtexec"):
        assert run("kiln", "man", name).startswith(".")
    for shell in ("bash", "zsh", "fish"):
        assert "trtexec" in run("kiln", "completion", shell)
    page = folder / "report.html"
    run("kiln", "report", str(folder / "digits.plan"), f"--html={page}")
    assert page.stat().st_size > 10_000


def main() -> None:
    """Everything, in a folder that exists."""
    folder = Path(sys.argv[1])
    # Without a compiler: nothing may be compiled on a user's machine.
    for name in ("cc", "gcc", "c++", "g++", "clang", "cmake", "ninja"):
        assert shutil.which(name) is None, f"expected no {name} on PATH={os.environ['PATH']}"
    try_python(folder)
    try_trtexec(folder)
    try_commands(folder)
    print("wheel: models, plugins, trtexec and commands work without a compiler")


if __name__ == "__main__":
    main()
