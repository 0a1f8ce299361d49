# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines captured into CUDA graphs."""

import contextlib
import time

import numpy as np
import pytest
from cudalab import class_based, decorated
from device_memory import DeviceError, Stream, call, emulated_calls

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def runner_with_torch(logger, torch, shape=(2, 3), work=None):
    """A Runner of y = 2 * x, by Torch."""

    def impl(x, outputs, stream):
        if work:
            work()
        x, y = (torch.as_tensor(t, device="cuda") for t in (x, outputs[0]))
        torch.mul(x, 2, out=y)

    return decorated(logger, impl, shape=shape)


def test_torch_graph(logger, torch):
    runner = runner_with_torch(logger, torch)
    x, y = torch.zeros(2, 3, device="cuda"), torch.zeros(2, 3, device="cuda")
    runner.context.set_tensor_address("x", x.data_ptr())
    runner.context.set_tensor_address("y", y.data_ptr())
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert runner.context.execute_async_v3(stream.cuda_stream)  # warm-up
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        assert runner.context.execute_async_v3(torch.cuda.current_stream().cuda_stream)
    for value in range(5):
        x.fill_(value)  # on another stream, directly before the replay
        graph.replay()
        assert y.tolist() == [[2.0 * value] * 3] * 2


def test_graph_of_the_driver(logger, torch):
    runner = runner_with_torch(logger, torch).bind(x=X)
    stream = Stream()
    assert runner.run(stream)
    graph = stream.capture(
        lambda: runner.context.execute_async_v3(stream.handle) or pytest.fail(logger.errors())
    )
    for factor in range(3):
        runner.arrays["x"].set(X * factor)
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(runner(), 2 * factor * X)


def test_graph_of_cuda_bindings(logger, torch):
    driver = pytest.importorskip("cuda.bindings.driver")
    runner = runner_with_torch(logger, torch).bind(x=X)
    stream = Stream()
    assert runner.run(stream)
    handle = driver.CUstream(stream.handle)
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL
    assert driver.cuStreamBeginCapture(handle, mode)[0].value == 0
    assert runner.context.execute_async_v3(stream.handle), logger.errors()
    status, graph = driver.cuStreamEndCapture(handle)
    assert status.value == 0
    status, executable = driver.cuGraphInstantiate(graph, 0)
    assert status.value == 0
    for factor in (3, 4):
        runner.arrays["x"].set(X * factor)
        assert driver.cuGraphLaunch(executable, handle)[0].value == 0
        stream.synchronize()
        np.testing.assert_array_equal(runner(), 2 * factor * X)
    driver.cuGraphExecDestroy(executable)
    driver.cuGraphDestroy(graph)


def loudly(stream):
    call("cuStreamSynchronize", stream)


def silently(stream):
    with contextlib.suppress(DeviceError):
        loudly(stream)


@pytest.mark.faults
def test_plugin_that_waits_is_named(logger):
    """Waiting for the stream invalidates a capture; the log names the plugin."""

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        loudly(stream)

    runner = class_based(logger, enqueue, name="waits").bind(x=X)
    assert runner.run()
    stream = Stream()
    with pytest.raises(DeviceError):
        stream.capture(lambda: runner.context.execute_async_v3(stream.handle))
    errors = logger.errors()
    assert "layer 'waits'" in errors and "Lab" in errors, errors


@pytest.mark.faults
def test_plugin_that_ends_the_capture_silently(logger):
    """The run fails even if the plugin ignores that its call failed."""

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        silently(stream)

    runner = class_based(logger, enqueue, name="silent").bind(x=X)
    assert runner.run()
    stream, results = Stream(), []
    with pytest.raises(DeviceError):
        stream.capture(lambda: results.append(runner.context.execute_async_v3(stream.handle)))
    assert results == [False]
    assert "layer 'silent'" in logger.errors(), logger.errors()


@pytest.mark.faults
@pytest.mark.parametrize("waits", [silently, loudly])
def test_capture_right_behind_runs_on_the_same_stream(logger, waits):
    """Consecutive runs need not query the driver each time, but a capture is still noticed."""
    capturing = []

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        if capturing:
            waits(stream)

    runner = class_based(logger, enqueue, name="late").bind(x=X)
    stream, results = Stream(), []
    for _ in range(50):
        assert runner.context.execute_async_v3(stream.handle), logger.errors()
    with pytest.raises(DeviceError):
        stream.capture(
            lambda: results.append(
                capturing.append(True) or runner.context.execute_async_v3(stream.handle)
            )
        )
    assert results == [False]
    errors = logger.errors()
    assert "layer 'late'" in errors and "stream is being captured" in errors, errors


def test_runs_in_a_row_need_not_ask(logger):
    """Only if there is no other stream and no pause in between."""
    if emulated_calls("cuStreamIsCapturing") is None:
        pytest.skip("no GPU but the emulated one counts its calls")
    runner = class_based(logger, lambda *_: None).bind(x=X)
    streams = [Stream(), Stream()]

    def asked(order, pause=0.0):
        before = emulated_calls("cuStreamIsCapturing")
        for which in order:
            assert runner.context.execute_async_v3(streams[which].handle)
            if pause:
                time.sleep(pause)
        return emulated_calls("cuStreamIsCapturing") - before

    assert asked([0] * 200) < 200
    assert asked([0, 1] * 50) == 100
    assert asked([0] * 5, pause=1e-3) >= 4
