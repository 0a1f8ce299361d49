# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans of rows, built in several processes, and engines that run them over Torch's memory."""

import json
import multiprocessing
import time

import tensorrt as trt

from rivals.row import TYPES, channels_last


def plan_of(row, kind, n):
    """(plan, seconds); (None, the errors) if the engine was not built."""
    errors = []

    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)

        def log(self, severity, message):
            if severity <= trt.ILogger.Severity.ERROR:
                errors.append(message)

    start = time.perf_counter()
    logger = Logger()
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    tensors = [
        network.add_input(f"x{i}", TYPES[of], operand.shape)
        for i, (operand, of) in enumerate(row.operands(kind, n))
    ]
    try:
        results = row.build(network, tensors)
    except Exception as error:
        return None, f"{error} {errors}"
    for i, result in enumerate(results if isinstance(results, list) else [results]):
        if result is None:
            return None, " ".join(errors)
        result.name = f"y{i}"
        network.mark_output(result)
    if row.last:
        for tensor in (tensors[0], network.get_output(0)):
            format = "HWC" if len(tensor.shape) == 4 else "DHWC"
            tensor.allowed_formats = 1 << int(getattr(trt.TensorFormat, format))
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        return None, " ".join(errors)
    return bytes(plan), time.perf_counter() - start


def built_by_name(name, kind, n):
    from rivals import ROWS

    return plan_of(next(row for row in ROWS if row.name == name), kind, n)


def plans(wanted, processes):
    """Builds plans for (row, kind, n) in processes; returns a function that waits for one."""
    if processes < 2:
        return lambda row, kind, n: plan_of(row, kind, n)
    pool = multiprocessing.get_context("spawn").Pool(processes)
    coming = {
        (row.name, kind): pool.apply_async(built_by_name, (row.name, kind, n))
        for row, kind, n in wanted
    }
    return lambda row, kind, n, _pool=pool: coming[row.name, kind].get()


class Engine:
    """An engine that reads and writes Torch's tensors."""

    def __init__(self, torch, plan, inputs, emulated=None, last=False):
        """emulated: the memory of the emulated GPU, if the tensors are the host's. last: the output
        has channels last."""
        self.torch, self.emulated, self.last = torch, emulated, last
        self.logger = trt.Logger(trt.Logger.ERROR)
        self.engine = trt.Runtime(self.logger).deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        self.inputs, self.outputs = inputs, []
        for i, tensor in enumerate(inputs):
            self.bind(f"x{i}", tensor)
        for i in range(self.engine.num_io_tensors - len(inputs)):
            other = self.engine.get_aliased_input_tensor(f"y{i}")
            self.outputs.append(inputs[int(other[1:])] if other else self.output(f"y{i}", inputs))
            if other:
                self.context.set_tensor_address(f"y{i}", self.context.get_tensor_address(other))
            else:
                self.bind(f"y{i}", self.outputs[-1])

    def output(self, name, inputs):
        torch = self.torch
        dtype = {
            trt.float32: torch.float32,
            trt.float16: torch.float16,
            trt.bfloat16: torch.bfloat16,
            trt.int32: torch.int32,
            trt.int64: torch.int64,
            trt.int8: torch.int8,
            trt.bool: torch.bool,
        }[self.engine.get_tensor_dtype(name)]
        shape = tuple(self.engine.get_tensor_shape(name))
        if -1 in shape:  # found when it runs
            size = self.context.get_max_output_size(name)
            shape = (size // torch.empty((), dtype=dtype).element_size(),)
        found = torch.empty(shape, dtype=dtype, device=inputs[0].device)
        return channels_last(torch, found) if self.last else found

    def bind(self, name, tensor):
        address = self.emulated.address(tensor) if self.emulated else tensor.data_ptr()
        self.context.set_tensor_address(name, address)

    def kernels(self):
        inspector = self.engine.create_engine_inspector()
        told = json.loads(inspector.get_engine_information(trt.LayerInformationFormat.JSON))
        names = [layer.get("TacticName", "?") for layer in told["Layers"] if "Outputs" in layer]
        return " + ".join(dict.fromkeys(name.removeprefix("cuda/") for name in names))

    def run(self):
        stream = 0 if self.emulated else self.torch.cuda.current_stream().cuda_stream
        if not self.context.execute_async_v3(stream):
            raise RuntimeError("the engine failed")
        if self.emulated:
            self.emulated.fetch(self.outputs)
