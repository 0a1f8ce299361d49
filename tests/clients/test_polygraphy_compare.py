# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln compared with ONNX Runtime by Polygraphy."""

import client_models as models
import numpy as np
import polygraphy.cuda
from polygraphy.backend.onnxrt import OnnxrtRunner, SessionFromOnnx
from polygraphy.backend.trt import (
    CreateConfig,
    EngineFromNetwork,
    ModifyNetworkOutputs,
    NetworkFromOnnxPath,
    Profile,
    TrtRunner,
)
from polygraphy.comparator import Comparator, DataLoader


def test_the_host_cudart_is_the_one_that_polygraphy_takes(host_cudart):
    assert polygraphy.cuda.wrapper().handle._name == f"{host_cudart}/libcudart.so"


def test_every_tensor_agrees(tmp_path):
    path = models.add_and_relu(tmp_path / "m.onnx")
    shapes = Profile().add("x", (1, 3, 4), (2, 3, 4), (8, 3, 4))
    network = ModifyNetworkOutputs(NetworkFromOnnxPath(path), outputs=["total", "y"])
    runners = [
        TrtRunner(EngineFromNetwork(network, CreateConfig(profiles=[shapes]))),
        OnnxrtRunner(SessionFromOnnx(path)),
    ]
    data = DataLoader(iterations=2, input_metadata=None)
    results = Comparator.run(runners, data_loader=data, warm_up=1)
    assert bool(Comparator.compare_accuracy(results))
    assert set(results[0][1][0].keys()) == {"total", "y"}


def test_a_difference_is_found(tmp_path):
    path = models.add_and_relu(tmp_path / "m.onnx", batch=2)

    def both():
        yield {"x": np.ones((2, 3, 4), np.float32)}

    first = Comparator.run(
        [TrtRunner(EngineFromNetwork(NetworkFromOnnxPath(path)))], data_loader=both()
    )
    other = models.add_and_relu(tmp_path / "other.onnx", batch=2)
    second = Comparator.run([OnnxrtRunner(SessionFromOnnx(other))], data_loader=both())
    second[0][1][0]["y"][0, 0, 0] += 1
    first.extend(second)
    assert not bool(Comparator.compare_accuracy(first))
