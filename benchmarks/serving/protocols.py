# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the protocols add to a request: reading it and writing the answer, without network.

python benchmarks/serving/protocols.py [--values 784]
"""

import argparse
import json
import timeit

import numpy as np
from kiln.serve.protocol import contents, http
from kiln.serve.protocol.known_heads import KnownHeads
from kiln.serve.protocol.messages import ModelInferRequest
from kiln.serve.request import InferResult
from kiln.serve.signature import ShapeRange, Signature, TensorSpec


def microseconds(call):
    """The time of a call: the best of seven rounds."""
    number = 200
    return min(timeit.repeat(call, number=number, repeat=7)) / number * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=784, help="float32 values of the input")
    count = parser.parse_args().values
    shape = ShapeRange((1, count), (1, count), (64, count))
    x, y = TensorSpec("x", "float32", (-1, count)), TensorSpec("y", "float32", (-1, 10))
    signature = Signature((x,), (y,), ({"x": shape},), True)
    values = np.random.default_rng(0).random((1, count), np.float32)
    result = InferResult({"y": values[:, :10].copy()}, "digits", "1")

    tensor = {"name": "x", "shape": [1, count], "datatype": "FP32"}
    size = {"parameters": {"binary_data_size": values.nbytes}}
    head = {"inputs": [tensor | size], "parameters": {"binary_data_output": True}}
    text = json.dumps(head).encode()
    body = text + values.tobytes()
    numbers = json.dumps({"inputs": [tensor | {"data": values.ravel().tolist()}]}).encode()
    plain = json.dumps({"inputs": {"x": values.tolist()}}).encode()
    message = ModelInferRequest(model_name="digits")
    message.inputs.add(name="x", shape=[1, count], datatype="FP32")
    message.raw_input_contents.append(values.tobytes())
    wire = message.SerializeToString()

    heads = KnownHeads()  # a client sends the same JSON again and again

    def over_http(data, length=None):
        _, form = http.parse(data, signature, length, heads)
        return http.render(result, form, signature)

    def over_grpc():
        _, counts = contents.parse(ModelInferRequest.FromString(wire), signature)
        return contents.render(result, counts, signature).SerializeToString()

    calls = {
        "HTTP, binary tensors": lambda: over_http(body, len(text)),
        "HTTP, JSON numbers": lambda: over_http(numbers),
        "HTTP, the simple form": lambda: over_http(plain),
        "gRPC, raw contents": over_grpc,
    }
    for name, call in calls.items():
        print(f"{name:24} {microseconds(call):8.1f} us for {count} values in, 10 out")


if __name__ == "__main__":
    main()
