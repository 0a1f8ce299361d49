# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Loops and conditionals that torch writes: scripted models, and those of the newer exporter."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest

import onnx

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "onnx"))
import onnx_lab as lab  # noqa: E402


class Counted(torch.nn.Module):
    def forward(self, x, n: int):
        y = x
        for i in range(n):
            y = y * 0.5 + x * i
        return y


class Doubled(torch.nn.Module):
    def forward(self, x):
        y = x
        n = 0
        while bool(y.sum() < 100.0):
            y = y * 2
            n += 1
        return y, torch.tensor(n)


class Chosen(torch.nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x * 2
        else:
            y = x - 1
            if bool(x.max() > 3):
                y = y + x.mean()
        return y


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.input = torch.nn.Linear(4, 8)
        self.state = torch.nn.Linear(8, 8)

    def forward(self, x):
        h = torch.zeros(x.size(1), 8)
        for t in range(x.size(0)):
            h = torch.tanh(self.input(x[t]) + self.state(h))
        return h


class Collected(torch.nn.Module):
    def forward(self, x):
        parts = []
        for t in range(x.size(0)):
            parts.append(x[t] * t)
        return torch.stack(parts)


class Viterbi(torch.nn.Module):
    """The best path through a chain of tags: histories grow behind, the path in front."""

    def __init__(self):
        super().__init__()
        self.moves = torch.nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        score = x[0]
        history = torch.zeros(0, x.size(1), x.size(2), dtype=torch.long)
        for t in range(1, x.size(0)):
            sums = score.unsqueeze(2) + self.moves + x[t].unsqueeze(1)
            score, best = sums.max(1)
            history = torch.cat([history, best.unsqueeze(0)], 0)
        last = score.argmax(1)
        path = last.unsqueeze(0)
        for t in range(history.size(0)):
            row = history[history.size(0) - 1 - t]
            last = row.gather(1, last.unsqueeze(1)).squeeze(1)
            path = torch.cat([last.unsqueeze(0), path], 0)
        return path


class Decoded(torch.nn.Module):
    """Tokens until each row has the last one, and eight at most."""

    def __init__(self):
        super().__init__()
        self.moves = torch.nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        state = x[0]
        done = torch.zeros(x.size(1), dtype=torch.bool)
        tokens = []
        n = 0
        while n < 8 and not bool(done.all()):
            state = torch.tanh(state @ self.moves)
            token = torch.where(done, 0, state.argmax(1))
            done = done | (token == 3)
            tokens.append(token)
            n += 1
        return torch.stack(tokens, 1)


class Solved(torch.nn.Module):
    """An equation by steps. Numbers of Python have the digits of float64: there are 11 steps."""

    def forward(self, x):
        t = 0.0
        steps = 0
        while t < 1.0:
            x = x - 0.1 * x
            t += 0.1
            steps += 1
        return x, torch.tensor(steps)


class Halved(torch.nn.Module):
    """Steps that become smaller, and a time that enters the result."""

    def forward(self, x):
        t = 0.0
        step = 0.3
        steps = 0
        while t < 0.9 and steps < 40:
            x = x + step * torch.cos(x + t)
            t = t + step
            if t > 0.6:
                step = step * 0.5
            steps += 1
        return x, torch.tensor(steps)


X = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
STEPS = np.random.default_rng(1).standard_normal((5, 2, 4)).astype(np.float32)
DYNAMIC = {"input_names": ["x"], "dynamic_axes": {"x": {0: "T", 1: "B"}}}


@pytest.mark.parametrize(
    ("module", "arrays", "options"),
    [
        pytest.param(Counted, [X, np.array(4)], {}, id="counted"),
        pytest.param(Doubled, [np.abs(X)], {}, id="while"),
        pytest.param(Chosen, [np.abs(X)], {}, id="true"),
        pytest.param(Chosen, [-np.abs(X)], {}, id="false"),
        pytest.param(Chosen, [X * 8 - 9], {}, id="nested"),
        pytest.param(Recurrent, [STEPS], {}, id="recurrent"),
        pytest.param(Recurrent, [STEPS], DYNAMIC, id="recurrent_dynamic"),
        pytest.param(Collected, [STEPS], {}, id="list"),
        pytest.param(Viterbi, [STEPS], {}, id="viterbi"),
        pytest.param(Viterbi, [STEPS], DYNAMIC, id="viterbi_dynamic"),
        pytest.param(Decoded, [STEPS], {}, id="decoded"),
        pytest.param(Decoded, [STEPS], DYNAMIC, id="decoded_dynamic"),
    ],
)
def test_scripted(module, arrays, options):
    torch.manual_seed(0)
    scripted = torch.jit.script(module().eval())
    inputs = tuple(torch.from_numpy(array) if array.ndim else int(array) for array in arrays)
    file = io.BytesIO()
    torch.onnx.export(scripted, inputs, file, dynamo=False, opset_version=17, **options)
    model = onnx.load_from_string(file.getvalue())
    feeds = dict(zip([value.name for value in model.graph.input], arrays, strict=False))
    lab.check(model, feeds, tolerance=1e-4)


@pytest.mark.parametrize("module", [Solved, Halved])
def test_numbers_of_python(module):
    """ONNX Runtime refuses such models, whose loops narrow what they carry."""
    scripted = torch.jit.script(module().eval())
    inputs = (torch.from_numpy(X),)
    file = io.BytesIO()
    names = {"input_names": ["x"], "output_names": ["y", "steps"]}
    torch.onnx.export(scripted, inputs, file, dynamo=False, opset_version=17, **names)
    y, steps = scripted(*inputs)
    messages = lab.Messages()
    results = lab.run(onnx.load_from_string(file.getvalue()), {"x": X}, messages)
    assert results["steps"] == steps.item()
    np.testing.assert_allclose(results["y"], y.numpy(), rtol=1e-5, atol=1e-6)
    assert any("numbers of Python" in text for text in messages.warnings)


class Cond(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.cos() * 2, lambda x: x.sin() - 1, (x,))


class While(torch.nn.Module):
    def forward(self, x):
        def goes_on(i, y):
            return (i < 9) & (y.sum() < 50)

        def body(i, y):
            return i + 1, y * 1.5 + i

        return torch._higher_order_ops.while_loop(goes_on, body, (torch.tensor(0), x))


class Scan(torch.nn.Module):
    def forward(self, x):
        def step(h, e):
            h = torch.tanh(h + e)
            return h, h * 2

        return torch._higher_order_ops.scan(step, torch.zeros(2, 4), x)


@pytest.mark.parametrize(
    ("module", "array"),
    [
        pytest.param(Cond, X, id="cond"),
        pytest.param(While, X, id="while_loop"),
        pytest.param(Scan, STEPS, id="scan"),
    ],
)
def test_exported(module, array):
    pytest.importorskip("onnxscript")
    program = torch.onnx.export(
        module().eval(), (torch.from_numpy(array),), dynamo=True, verbose=False
    )
    model = program.model_proto
    for values in (array, np.abs(array)):
        lab.check(model, {model.graph.input[0].name: values}, tolerance=1e-4)


class Bags(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = torch.nn.EmbeddingBag(10, 6, mode="sum")
        self.means = torch.nn.EmbeddingBag(10, 6, mode="mean")

    def forward(self, ids):
        return self.sums(ids), self.means(ids)


@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
def test_bags_of_embeddings(dynamo):
    """Loops whose slices depend on the number of the pass, and sequences without a limit."""
    if dynamo:
        pytest.importorskip("onnxscript")
    torch.manual_seed(0)
    ids = torch.tensor([[1, 2, 3], [4, 4, 0], [9, 8, 7], [5, 0, 5]])
    module = Bags().eval()
    file = io.BytesIO()
    options = {"opset_version": 18 if dynamo else 17, "input_names": ["ids"]}
    program = torch.onnx.export(module, (ids,), None if dynamo else file, dynamo=dynamo, **options)
    model = program.model_proto if dynamo else onnx.load_from_string(file.getvalue())
    with torch.no_grad():
        results = [result.numpy() for result in module(ids)]
    wanted = dict(zip([output.name for output in model.graph.output], results, strict=True))
    lab.check(model, {"ids": ids.numpy()}, tolerance=1e-5, wanted=wanted)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
def test_bags_of_any_number(dynamo, mode):
    """The number of bags, and of their elements, is known when the engine runs."""
    if dynamo:
        pytest.importorskip("onnxscript")
    torch.manual_seed(0)
    module = torch.nn.EmbeddingBag(10, 6, mode=mode).eval()
    ids = torch.tensor([[1, 2, 3], [4, 4, 0], [9, 8, 7], [5, 0, 5]])
    file = io.BytesIO()
    if dynamo:
        sizes = ({0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC},)
        options = {"dynamic_shapes": sizes, "verbose": False}
    else:
        options = {"dynamic_axes": {"ids": {0: "bags", 1: "each"}}, "opset_version": 17}
    program = torch.onnx.export(
        module, (ids,), None if dynamo else file, dynamo=dynamo, input_names=["ids"], **options
    )
    model = program.model_proto if dynamo else onnx.load_from_string(file.getvalue())
    for fed in (ids, ids[:3, :2], torch.cat((ids, ids + 0), 0)):
        with torch.no_grad():
            wanted = {model.graph.output[0].name: module(fed).numpy()}
        lab.check(model, {"ids": fed.numpy()}, tolerance=1e-5, wanted=wanted)


class Appended(torch.nn.Module):
    """A list of any length, as scripts write it."""

    def forward(self, x):
        rows = []
        total = torch.zeros_like(x[0])
        for i in range(x.size(0)):
            total = torch.tanh(total + x[i])
            rows.append(total * i)
        return torch.stack(rows, 1), torch.cat(rows, 0), len(rows)


@pytest.mark.parametrize("count", [1, 7])
def test_list_of_any_length(count):
    scripted = torch.jit.script(Appended())
    file = io.BytesIO()
    torch.onnx.export(
        scripted,
        (torch.zeros(3, 4),),
        file,
        dynamo=False,
        opset_version=17,
        input_names=["x"],
        dynamic_axes={"x": {0: "rows"}},
    )
    model = onnx.load_from_string(file.getvalue())
    x = np.random.default_rng(count).standard_normal((count, 4)).astype(np.float32)
    lab.check(model, {"x": x})
