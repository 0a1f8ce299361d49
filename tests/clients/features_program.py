# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A user's program: the decorated examples through Polygraphy alone. Argument: a folder for plans.

Aliases need their preview feature. Data-dependent sizes need an output allocator, which
Polygraphy provides.
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
    """Yields a runner of the built engine, then one of the saved plan."""
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
