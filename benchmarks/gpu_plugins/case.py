# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Both sides of one padding: the launch without an engine, and the engine."""

from functools import partial

import numpy as np
import source
import torch
from engines import SHAPES, PadPlugin, compiled_plan, context_of, plugin_plan
from frameworks import EMPTY, by_cuda_python

LARGE = (32, 64, 512, 512)
SMALL = (10, 3, 32, 32)
AHEAD = "ahead of time"


class Case:
    """Input, output and the reference for one shape and type."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = SHAPES.setdefault(shape, shape), np.dtype(dtype)
        kind = torch.float32 if self.dtype.itemsize == 4 else torch.float16
        self.x = torch.randn(shape, device="cuda").to(kind)
        self.y = torch.full(source.padded(shape), float("nan"), dtype=kind, device="cuda")
        self.stream = torch.cuda.Stream()
        torch.cuda.synchronize()

    def contexts(self, framework):
        """Returns (bare work, engine work) for one framework.

        Bare work calls the same method as the engine, so the difference is the cost of the engine.
        """
        x, y, raw = self.x.data_ptr(), self.y.data_ptr(), self.stream.cuda_stream
        if framework == AHEAD:
            plan = compiled_plan(self.shape, self.dtype)
            bare = partial(by_cuda_python, x, y, self.shape, self.dtype, raw)
        else:
            plan = plugin_plan(framework, self.shape, self.dtype)
            plugin = PadPlugin(framework).clone()  # the engine clones it, too
            plugin.shape, plugin.dtype = self.shape, self.dtype
            bare = partial(plugin.enqueue, None, None, [x], [y], 0, raw)
        context = context_of(plan, x, y)
        engine = partial(context.execute_async_v3, raw)
        if framework != EMPTY:
            self.check(engine)
        return bare, engine

    def check(self, work):
        self.y.fill_(float("nan"))
        torch.cuda.synchronize()
        work()
        torch.cuda.synchronize()
        pads = (source.PAD,) * 4
        wanted = torch.nn.functional.pad(self.x, pads, mode="circular")
        assert torch.equal(self.y, wanted)
