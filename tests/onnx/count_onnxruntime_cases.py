# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts the node cases of the onnx package that ONNX Runtime passes on the CPU.

Cases, data and tolerances are those of tests/onnx/test_node_cases.py, which counts Kiln's. ONNX
Runtime gets every input as it is in the case, also strings, sequences and narrow types. A model of
an operator set that it does not know is run as one of the newest that it knows.

PYTHONPATH=tests:tests/onnx python tests/onnx/count_onnxruntime_cases.py [--verbose]

prints the number, and with --verbose each failure.
"""

import os
import sys

import node_suite
import numpy as np
import onnxruntime

import onnx
from onnx import TensorProto

# Newer ones are refused, whatever operators a model has.
NEWEST_OPSET = 26
NEWEST_IR = 13


def ort_value(value_info, value):
    """An input as ONNX Runtime takes it: types that NumPy lacks as their bytes."""
    array = node_suite.as_array(value)
    array = np.asarray(array) if isinstance(array, np.generic) else array
    narrow = isinstance(array, np.ndarray) and array.dtype.kind not in "biufcOUS"
    if not narrow:
        return array
    element = value_info.type.tensor_type.elem_type
    if element in (TensorProto.INT4, TensorProto.UINT4, TensorProto.FLOAT4E2M1):
        return array
    data = array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(data, element)


def in_known_opset(model):
    """A copy in the newest operator set that ONNX Runtime takes."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = min(copy.ir_version, NEWEST_IR)
    for opset in copy.opset_import:
        if not opset.domain:
            opset.version = min(opset.version, NEWEST_OPSET)
    return copy


def results_of(case, inputs):
    """The outputs of a case."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        in_known_opset(case.model).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    given = case.model.graph.input
    feeds = {info.name: ort_value(info, x) for info, x in zip(given, inputs, strict=False)}
    if not any(isinstance(x, onnxruntime.OrtValue) for x in feeds.values()):
        return session.run(None, feeds)
    feeds = {
        name: x
        if isinstance(x, onnxruntime.OrtValue)
        else onnxruntime.OrtValue.ortvalue_from_numpy(x)
        for name, x in feeds.items()
    }
    names = [value.name for value in case.model.graph.output]
    return [value.numpy() for value in session.run_with_ort_values(names, feeds)]


def equal(result, wanted):
    """Whether an output is that of the case."""
    if isinstance(wanted, list) or wanted is None:
        if wanted is None or not isinstance(result, list) or len(result) != len(wanted):
            return result is wanted
        return all(equal(x, node_suite.as_array(y)) for x, y in zip(result, wanted, strict=True))
    result, wanted = np.asarray(result), np.asarray(wanted)
    if wanted.dtype.kind in "OUS":
        return np.array_equal(result.astype(str), wanted.astype(str))
    if result.dtype != wanted.dtype and result.dtype.itemsize == wanted.dtype.itemsize:
        result = result.view(wanted.dtype)
    narrow = wanted.dtype.name in node_suite.TAKEN_AS
    if narrow:  # the comparison expects what a network has for these
        result = result.astype(node_suite.TAKEN_AS[wanted.dtype.name])
    return not node_suite.difference([result], [wanted])


def passes(case):
    """Whether ONNX Runtime passes a case, and why not."""
    inputs, outputs = case.data_sets[0]
    try:
        results = results_of(case, inputs)
    except Exception as error:  # of many types: missing kernels, types, operator sets
        return False, str(error).replace("\n", " ")[:160]
    wanted = [node_suite.as_array(value) for value in outputs]
    if "bernoulli" in case.name:
        return all(
            np.isin(np.asarray(r).astype(np.float32), (0, 1)).all() for r in results
        ), "numbers"
    same = all(equal(x, y) for x, y in zip(results, wanted, strict=True))
    return same, "other results"


def main() -> int:
    """Prints the count."""
    os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"  # newer operator sets, too
    onnxruntime.set_default_logger_severity(4)
    cases = node_suite.cases()
    passed = 0
    for case in cases:
        ok, why = passes(case)
        passed += ok
        if not ok and "--verbose" in sys.argv:
            print(f"{case.name}: {why}")
    print(f"ONNX Runtime {onnxruntime.__version__} passes {passed} of {len(cases)} node cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
