# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Python plugins in engines that several threads run, and very many calls."""

import sys
import threading
import time

import numpy as np
import pytest
from scaling import CREATORS, PLUGINS, Engine, Registered, build

pytestmark = pytest.mark.xdist_group("registry")
STYLES = pytest.mark.parametrize("style", ["v2", "v3"])


@STYLES
def test_one_context_for_each_thread(logger, style):
    plan = build(logger, PLUGINS[style]())
    with Registered(CREATORS[style]()):
        shared = Engine(logger, plan)
    failures = []

    def drive(seed):
        engine = Engine.__new__(Engine)
        engine.context = shared.engine.create_execution_context()
        rng = np.random.default_rng(seed)
        for _ in range(300):
            x = rng.standard_normal((rng.integers(1, 9), 4)).astype(np.float32)
            if not np.array_equal(engine.run(x), 2 * x):
                failures.append(seed)

    threads = [threading.Thread(target=drive, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert not logger.errors()


@STYLES
def test_an_engine_goes_on_another_thread(logger, style):
    plan = build(logger, PLUGINS[style]())
    with Registered(CREATORS[style]()):
        engines = [Engine(logger, plan)]
    assert engines[0].run(np.ones((1, 4), np.float32)) is not None
    thread = threading.Thread(target=engines.clear)
    thread.start()
    thread.join()
    assert not engines


def empty_engine(logger, style):
    """An engine of one plugin whose enqueue does nothing, after its first run."""

    class Empty(PLUGINS[style]):
        def clone(self):
            return Empty()

        def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
            pass

    class Creator(CREATORS[style]):
        def create_plugin(self, *_):
            return Empty()

        deserialize_plugin = create_plugin

    plan = build(logger, Empty())
    with Registered(Creator()):
        engine = Engine(logger, plan)
    assert engine.run(np.ones((1, 4), np.float32)) is not None
    return engine


@STYLES
def test_no_object_is_left_behind_by_a_call(logger, style):
    execute = empty_engine(logger, style).context.execute_async_v3

    def blocks_after(calls):
        for _ in range(calls):
            execute(0)
        return sys.getallocatedblocks()

    blocks_after(100)
    before = blocks_after(1000)
    assert abs(blocks_after(100_000) - before) <= 8  # the interpreter may allocate some


@STYLES
def test_the_gil_is_kept_where_all_is_python(logger, style):
    """A waiting thread gets the GIL only when the interpreter itself releases it."""
    execute = empty_engine(logger, style).context.execute_async_v3
    turns, stop = [], threading.Event()

    def take_turns():
        while not stop.is_set():
            time.sleep(1e-4)
            turns.append(None)

    thread = threading.Thread(target=take_turns)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread.start()
        time.sleep(0.01)
        before = len(turns)
        for _ in range(50_000):
            execute(0)
        after = len(turns)
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert before > 0
    assert after == before
