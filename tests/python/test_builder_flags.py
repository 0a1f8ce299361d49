# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""No flag does nothing and says nothing: each is refused by the build, noted as one that only
tunes, or has an effect that a function below shows."""

import warnings

import numpy as np
import pytest
import tensorrt as trt
from quantized_nets import Product, run

warnings.filterwarnings("ignore", category=DeprecationWarning)
Flag = trt.BuilderFlag
FLAGS = list(dict.fromkeys(Flag.__members__.values()))
# Shown by tests of their own, where they are not refused.
ELSEWHERE = {
    "REFIT",
    "REFIT_IDENTICAL",
    "REFIT_INDIVIDUAL",
    "STRIP_PLAN",
    "TF32",
    "VERSION_COMPATIBLE",
    "WEIGHT_STREAMING",
}
X = np.random.default_rng(7).normal(0, 1, (4, 16)).astype(np.float32)


class Build:
    """A small network, and its build with some flags."""

    def __init__(self, logger, *flags):
        self.logger = logger
        self.builder = trt.Builder(logger)
        self.net = Product(self.builder)
        self.config = self.builder.create_builder_config()
        for flag in flags:
            self.config.set_flag(flag)

    def plan(self):
        return self.builder.build_serialized_network(self.net.network, self.config)

    def result(self):
        return run(self.logger, self.plan(), x=X)["y"]


def _precision(dtype, flag):
    def works(logger):
        def build(*flags):
            build = Build(logger, Flag.OBEY_PRECISION_CONSTRAINTS, *flags)
            build.net.product.precision = dtype
            return build

        error = np.abs(build(flag).result() - Build(logger).result()).max()
        return build().plan() is None and error > 1e-4

    return works


def int8(logger):
    def result(*flags):
        build = Build(logger, *flags)
        build.net.h.dynamic_range = (-1, 1)
        return build.result()

    return np.abs(result(Flag.INT8) - result()).max() > 1e-3


def obey(logger):
    build = Build(logger, Flag.OBEY_PRECISION_CONSTRAINTS)
    build.net.product.precision = trt.float16
    return build.plan() is None and "precision float16" in logger.errors()


def prefer(logger):
    build = Build(logger, Flag.PREFER_PRECISION_CONSTRAINTS)
    build.net.product.precision = trt.float16
    return build.plan() is not None and "ignored, because" in logger.messages_text()


def gpu_fallback(logger):
    def plan(*flags):
        build = Build(logger, *flags)
        build.config.set_device_type(build.net.product, trt.DeviceType.DLA)
        return build.plan()

    return plan() is None and plan(Flag.GPU_FALLBACK) is not None


def disable_timing_cache(logger):
    def keys(*flags):
        build = Build(logger, Flag.EDITABLE_TIMING_CACHE, *flags)
        build.config.set_timing_cache(build.config.create_timing_cache(b""), False)
        assert build.plan() is not None
        return build.config.get_timing_cache().queryKeys()

    return keys() and not keys(Flag.DISABLE_TIMING_CACHE)


def error_on_timing_cache_miss(logger):
    build = Build(logger, Flag.ERROR_ON_TIMING_CACHE_MISS)
    build.config.set_timing_cache(build.config.create_timing_cache(b""), False)
    return build.plan() is None and "timings in the timing cache" in logger.errors()


def editable_timing_cache(logger):
    def keys(*flags):
        return Build(logger, *flags).config.create_timing_cache(b"").queryKeys()

    with pytest.raises(RuntimeError, match="made while BuilderFlag EDITABLE_TIMING_CACHE was set"):
        keys()
    return keys(Flag.EDITABLE_TIMING_CACHE) == []


def direct_io(logger):
    def plan(*flags):
        builder = trt.Builder(logger)
        network = builder.create_network(0)
        x = network.add_input("x", trt.float32, (1, 64, 4, 4))
        x.allowed_formats = 1 << int(trt.TensorFormat.CHW32)
        network.mark_output(network.add_softmax(x).get_output(0))
        config = builder.create_builder_config()
        for flag in flags:
            config.set_flag(flag)
        return builder.build_serialized_network(network, config)

    return plan() is not None and plan(Flag.DIRECT_IO) is None


class NoAlgorithms(trt.IAlgorithmSelector):
    """Wants none of the kernels that it is asked about."""

    def __init__(self):
        super().__init__()

    def select_algorithms(self, context, choices):
        return []

    def report_algorithms(self, contexts, choices):
        pass


def reject_empty_algorithms(logger):
    def plan(*flags):
        build = Build(logger, *flags)
        build.config.algorithm_selector = NoAlgorithms()
        return build.plan()

    return plan() is not None and plan(Flag.REJECT_EMPTY_ALGORITHMS) is None


EFFECTS = {
    "FP16": _precision(trt.float16, Flag.FP16),
    "BF16": _precision(trt.bfloat16, Flag.BF16),
    "INT8": int8,
    "OBEY_PRECISION_CONSTRAINTS": obey,
    "PREFER_PRECISION_CONSTRAINTS": prefer,
    "GPU_FALLBACK": gpu_fallback,
    "DISABLE_TIMING_CACHE": disable_timing_cache,
    "ERROR_ON_TIMING_CACHE_MISS": error_on_timing_cache_miss,
    "EDITABLE_TIMING_CACHE": editable_timing_cache,
    "DIRECT_IO": direct_io,
    "REJECT_EMPTY_ALGORITHMS": reject_empty_algorithms,
}


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_every_flag_shows(logger, flag):
    if flag.name in EFFECTS:
        assert EFFECTS[flag.name](logger), logger.messages_text()
        return
    build = Build(logger, flag)
    if build.plan() is None:
        assert f"BuilderFlag {flag.name} (" in logger.errors()
    elif flag.name not in ELSEWHERE:
        assert f"because they only tune: BuilderFlag {flag.name}" in logger.messages_text()
