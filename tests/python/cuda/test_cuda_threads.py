# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Several contexts and streams of one engine at once."""

import threading

import numpy as np
from cudalab import Runner, decorated
from device_memory import DeviceArray, Stream

COUNT, THREADS, RUNS = 1 << 18, 8, 40


def check_in_threads(work):
    """Runs work(number) in threads; raises the first exception of a thread."""
    problems = []

    def guarded(number):
        try:
            work(number)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def test_torch_in_threads(logger, torch):
    """Each thread has its own current stream, which plugins in other threads do not change."""

    def impl(x, outputs, stream):
        assert torch.cuda.current_stream().cuda_stream == stream
        torch.mul(
            torch.as_tensor(x, device="cuda"), 3, out=torch.as_tensor(outputs[0], device="cuda")
        )

    engine = decorated(logger, impl, shape=(COUNT,)).engine

    def work(number):
        runner = Runner(engine, engine.create_execution_context())
        runner.bind(x=np.full(COUNT, number, np.float32))
        mine, stream = torch.cuda.Stream(), Stream()
        with torch.cuda.stream(mine):
            for i in range(RUNS):
                runner.arrays["y"].fill(0)
                assert runner.context.execute_async_v3(stream.handle), logger.errors()
                if i % 8 == 0:
                    stream.synchronize()
                    assert (runner() == 3 * number).all()
                assert torch.cuda.current_stream() == mine

    check_in_threads(work)


def test_streams_without_plugins(logger):
    """An engine without plugins; each context uses its own stream."""
    import tensorrt as trt
    from plugin_lab import Definition

    definition = Definition(logger)
    x = definition.input("x", trt.float32, (COUNT,))
    y = definition.network.add_identity(definition.network.add_identity(x).get_output(0))
    definition.output(y.get_output(0), "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)

    def work(number):
        context, stream = engine.create_execution_context(), Stream()
        x, y = DeviceArray(np.full(COUNT, number, np.float32)), DeviceArray((COUNT,), np.float32)
        context.set_tensor_address("x", x.ptr)
        context.set_tensor_address("y", y.ptr)
        for _ in range(RUNS):
            assert context.execute_async_v3(stream.handle), logger.errors()
        stream.synchronize()
        assert (y.numpy() == number).all()

    check_in_threads(work)
