# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""check_gpu.py: builds and runs the models at full size on a GPU and compares the results.

Prints a row for each model: the errors of Kiln and of torch against float64, both in float32
without TF32, and Kiln with FP16 beside torch in float16. Times do not matter.
"""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch
from check import difference

os.environ["KILN_TARGET"] = "cuda"

LIMIT = 1e-5  # of the largest value, or three times the error of torch
HALF_LIMIT = 1e-2
# Rounding moves a score over a threshold, or a box to another level of the pyramid.
DISCONTINUOUS = ("yolo", "mask_rcnn_heads")
HEADING = [
    "| model | float32 | torch | FP16 | torch in float16 |",
    "|---|---|---|---|---|",
]


def from_torch(model, dtype):
    """The results of the module on the GPU, in float64."""
    module = model.module().to(dtype).cuda()
    data = [v.to(dtype) if v.is_floating_point() else v for v in model.data().values()]
    with torch.inference_mode():
        result = module(*(value.cuda() for value in data))
    result = result if isinstance(result, tuple) else (result,)
    return [value.double().cpu().numpy() for value in result]


def build(trt, logger, serialized, half):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    config = builder.create_builder_config()
    config.clear_flag(trt.BuilderFlag.TF32)
    if half:
        config.set_flag(trt.BuilderFlag.FP16)
    return builder.build_serialized_network(network, config) if parser.parse(serialized) else None


def from_kiln(model, serialized, half):
    """The results of an engine, in float64."""
    import kiln as trt
    from engines.kiln import late_output

    logger = trt.Logger(trt.Logger.ERROR)
    plan = build(trt, logger, serialized, half)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    held = {}
    for name, value in model.data().items():
        if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT:
            held[name] = value.cuda().contiguous()
            context.set_tensor_address(name, held[name].data_ptr())
    for name in model.outputs:
        held[name] = late_output(trt, torch, "cuda")
        context.set_output_allocator(name, held[name])
    assert context.execute_async_v3(torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    types = {trt.float32: torch.float32, trt.float16: torch.float16, trt.int64: torch.int64}
    types |= {trt.int32: torch.int32, trt.bool: torch.bool}
    results = [held[name].tensor(types[engine.get_tensor_dtype(name)]) for name in model.outputs]
    return [value.double().cpu().numpy() for value in results]


def check(name):
    """One row: four errors, and what is wrong with them."""
    from catalogue import MODELS
    from export import export_bytes

    torch.set_num_threads(2)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    model = MODELS[name]
    serialized, exact = export_bytes(model), from_torch(model, torch.float64)
    row = {
        "float": difference(from_kiln(model, serialized, half=False), exact),
        "torch float": difference(from_torch(model, torch.float32), exact),
    }
    limits = {"float": max(LIMIT, 3 * row["torch float"])}
    if name not in DISCONTINUOUS:
        row["half"] = difference(from_kiln(model, serialized, half=True), exact)
        row["torch half"] = difference(from_torch(model, torch.float16), exact)
        limits["half"] = max([HALF_LIMIT, 3 * row["torch half"]])
    faults = [
        f"{kind}: {row[kind]} above {limits[kind]:.1e}"
        for kind in limits
        if not row[kind] <= limits[kind]
    ]
    return row, faults


def attempt(name):
    try:
        return name, *check(name)
    except Exception as error:  # the other models run all the same
        return name, {}, [f"{type(error).__name__}: {error}"]


def main():
    from catalogue import MODELS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="default: all in float")
    parser.add_argument("--processes", type=int, default=8)
    arguments = parser.parse_args()
    names = arguments.models or [name for name in MODELS if not MODELS[name].change]
    print(*HEADING, sep="\n", flush=True)
    wrong = 0
    with ProcessPoolExecutor(
        arguments.processes, get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        for name, row, faults in pool.map(attempt, names):
            cells = [row.get(kind) for kind in ("float", "torch float", "half", "torch half")]
            shown = " | ".join("-" if cell is None else f"{cell:.1e}" for cell in cells)
            print(f"| `{name}` | {shown} |", *faults, flush=True)
            wrong += bool(faults)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
