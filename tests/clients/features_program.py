# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A program of a user: the decorated examples by Polygraphy alone. Argument: a folder for plans.

Aliases need their preview feature, and sizes that data decides an output allocator, which
Polygraphy brings along.
"""

import sys
from pathlib import Path

import inplace_add
import nonzero
import numpy as np
import tensorrt as trt
from polygraphy.backend.common import BytesFromPath
from polygraphy.backend.trt import (
    CreateConfig,
    EngineFromBytes,
    EngineFromNetwork,
    NetworkFromOnnxBytes,
    Profile,
    SaveEngine,
    TrtRunner,
)


def runners(name, model, **config):
    """A runner of the engine that was built, then one of the plan that was saved."""
    path = str(Path(sys.argv[1]) / f"{name}.plan")
    build = EngineFromNetwork(
        NetworkFromOnnxBytes(model.SerializeToString()), CreateConfig(**config)
    )
    yield TrtRunner(SaveEngine(build, path))
    yield TrtRunner(EngineFromBytes(BytesFromPath(path)))


x = np.arange(4, dtype=np.float32)
aliasing = trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03
for runner in runners("inplace_add", inplace_add.model(), preview_features=[aliasing]):
    with runner:
        got = runner.infer({"x": x})
        assert np.array_equal(got["y"], x + 111)
        assert np.array_equal(got["total"], 2 * x + 111)
        assert np.array_equal(x, np.arange(4))

profile = Profile().add("x", *nonzero.PROFILE["x"])
for runner in runners("nonzero", nonzero.model(), profiles=[profile]):
    with runner:
        for shape, share in (((5, 7), 0.3), ((64, 64), 1.1), ((3, 3), 0)):
            table = (np.random.default_rng(1).random(shape) < share).astype(np.float32)
            got = runner.infer({"x": table})
            assert np.array_equal(got["positions"], np.argwhere(table)), shape
print("all is right")
