# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A model whose requests say how long their run takes."""

from pathlib import Path

import plugin_plans

SLOW = '''
import time
from pathlib import Path

import numpy as np
import tensorrt.plugin as trtp

HUNG = Path(__file__).with_name("hung")
GO = Path(__file__).with_name("go")


@trtp.register("sample::slow")
def slow_desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("sample::slow")
def slow(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    """y = 2 x, after x[0, 0] seconds. -1: a minute in the first run. -2: when GO is there."""
    seconds = float(np.asarray(x)[0, 0])
    until = time.monotonic() + 60
    while seconds == -2 and not GO.exists() and time.monotonic() < until:
        time.sleep(0.01)
    if seconds == -1 and not HUNG.exists():
        HUNG.touch()
        seconds = 60
    time.sleep(max(0, seconds))
    np.asarray(outputs[0])[:] = 2 * np.asarray(x)
'''


HELD = -2  # in a request: its run waits for `gate`


def gate(fields):
    """The file for which runs of HELD wait."""
    return Path(fields["plugins"][0]).with_name("go")


def make(folder):
    """The fields of the model: one request runs at a time, and one waits."""
    plugin, plan = plugin_plans.make(folder, "slow", source=SLOW)
    batching = {"max_size": 1, "max_queue": 1}
    return {"plan": str(plan), "plugins": [str(plugin)], "name": "m", "batching": batching}
