# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""AutoTuneCombination, and engines of ops that have autotune."""

import itertools

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")

F32, F16, INT8, INT32 = trt.float32, trt.float16, trt.int8, trt.int32
LINEAR, HWC = trt.TensorFormat.LINEAR, trt.TensorFormat.HWC


def expanded(combination, count):
    found = list(combination._expand(count, "op, autotune"))
    assert combination.combinations == found
    return [(list(c.types), list(c.formats)) for c in found]


def types(text, count):
    return [chosen for chosen, _ in expanded(trtp.AutoTuneCombination(io_types=text), count)]


def test_dependent_types():
    assert types("FP32|FP16, FP32|FP16", 2) == [[F32, F32], [F16, F16]]
    assert types("FP32|FP16,INT32,FP32|FP16", 3) == [[F32, INT32, F32], [F16, INT32, F16]]


def test_independent_types():
    assert types("FP32*FP16, FP32*FP16", 2) == [
        list(pair) for pair in itertools.product([F32, F16], repeat=2)
    ]
    found = types("FP32*FP16, FP32|FP16, FP32|FP16", 3)
    assert found == [[F32, F32, F32], [F16, F32, F32], [F32, F16, F16], [F16, F16, F16]]


def test_layouts():
    both = trtp.AutoTuneCombination("FP32, FP32", "LINEAR*HWC")
    assert len(expanded(both, 2)) == 4, "one entry stands for all operands"
    together = trtp.AutoTuneCombination("FP32, FP32", "LINEAR|HWC, LINEAR|HWC")
    assert [f for _, f in expanded(together, 2)] == [[LINEAR, LINEAR], [HWC, HWC]]
    mixed = trtp.AutoTuneCombination("FP32|FP16, FP32|FP16", "LINEAR|HWC")
    assert len(expanded(mixed, 2)) == 4, "types and layouts are apart"
    assert expanded(trtp.AutoTuneCombination("FP32"), 1) == [([F32], [LINEAR])]


def test_every_name():
    names = {"FP32": F32, "FP16": F16, **{m.name: m for m in trt.DataType}}
    for name, dtype in names.items():
        assert types(name, 1) == [[dtype]]
    for form in trt.TensorFormat:
        found = expanded(trtp.AutoTuneCombination("FP32", form.name), 1)
        assert found == [([F32], [form])]


def test_positions():
    c = trtp.AutoTuneCombination()
    c.pos(pos=[0, 1], io_types="FP32|FP16", layouts="LINEAR|HWC")
    c.pos(2, "FP32*INT8")
    c.tactics(tactics=[3, 1])
    found = expanded(c, 3)
    assert len(found) == 8 and c._tactics == [3, 1]
    assert ([F16, F16, INT8], [HWC, HWC, LINEAR]) in found
    assert set(c.io_types) == set(c.layouts) == {0, 1, 2}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: trtp.AutoTuneCombination("FP32, FP33"),
         r"io_types 'FP32, FP33', character 7: expected one of FP32, FP16, .*, got 'FP33'"),
        (lambda: trtp.AutoTuneCombination("FP32|"), r"character 6: expected one of .*, got ''"),
        (lambda: trtp.AutoTuneCombination(""), r"io_types '', character 1: expected one of"),
        (lambda: trtp.AutoTuneCombination("FP32,,FP32"), r"character 6: expected one of .* ''"),
        (lambda: trtp.AutoTuneCombination("FP32|FP16*INT8"),
         r"character 10: expected one kind of separator in an operand, got both '\|' and '\*'"),
        (lambda: trtp.AutoTuneCombination("FP32", "LINEAR*HWC9"),
         r"layouts 'LINEAR\*HWC9', character 8: expected one of LINEAR, .*, got 'HWC9'"),
        (lambda: trtp.AutoTuneCombination().pos(0, "FP32,FP16"),
         r"pos, io_types 'FP32,FP16': expected the alternatives of one operand, got 2"),
        (lambda: trtp.AutoTuneCombination().pos([-1], "FP32"), "expected positions from 0, got -1"),
        (lambda: trtp.AutoTuneCombination(tactics=[0]), "expected ints from 1 .*, got 0. 0 stands"),
        (lambda: trtp.AutoTuneCombination().tactics([2, 1, 2]), "different tactics, got 2 twice"),
        (lambda: trtp.AutoTuneCombination().tactics([1 << 31]), "ints from 1 to 2147483647"),
        (lambda: expanded(trtp.AutoTuneCombination("FP32|FP16,FP32|FP16|INT8"), 2),
         r"expected as many alternatives with '\|' for .* 2 for operand 0, 3 for operand 1"),
        (lambda: expanded(trtp.AutoTuneCombination("FP32"), 2),
         "op, autotune: expected types for each of 2 operands, .* got those of operands 0"),
        (lambda: expanded(trtp.AutoTuneCombination("FP32,FP32,FP32"), 2), "each of 2 operands"),
        (lambda: expanded(trtp.AutoTuneCombination(), 2), "got those of operands none"),
        (lambda: expanded(trtp.AutoTuneCombination("FP32,FP32", "HWC,HWC,HWC"), 2), "s 0, 1, 2"),
    ],
)  # fmt: skip
def test_wrong_texts(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_objects():
    with pytest.raises(TypeError, match="io_types: expected a str such as 'FP32', got list"):
        trtp.AutoTuneCombination(["FP32"])
    with pytest.raises(TypeError):
        trtp.AutoTuneCombination("FP32", tactics=["a"])


def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


class Op:
    """An op that records its calls with their tactics."""

    def __init__(self, combinations, slow=()):
        self.asked, self.calls, self.seen = 0, [], []
        self.combinations, self.slow = combinations, slow
        self.id = define(desc, self.impl(), self.autotune())

    def impl(self):
        def impl(x, outputs, stream, tactic):
            self.calls.append((tactic, x.dtype, x.format))
            source = np.asarray(x)
            for _ in range(200 if tactic in self.slow else 1):
                np.asarray(outputs[0])[...] = source * 2

        return impl

    def autotune(self):
        def autotune(x, outputs):
            self.asked += 1
            self.seen.append((x, outputs))
            return self.combinations()

        return autotune


def engine_of(logger, op, flags=0, shape=(4, 3, 8, 8), dtype=F32):
    net = Net(logger, flags) if flags is not None else Net(logger)
    net.output(net.add(op_of(op.id)(net.input("x", shape, dtype)))[0], "y")
    if -1 in shape:
        net.profile(x=((1, *shape[1:]), (2, *shape[1:]), (4, *shape[1:])))
    return net.engine()


def check(engine, shape=(4, 3, 8, 8)):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    y = np.zeros_like(x)
    assert engine.run({"x": x}, {"y": y}), engine.logger.errors()
    np.testing.assert_allclose(y, 2 * x)


def test_the_fastest_tactic_is_taken(logger):
    op = Op(lambda: [trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [7, 3, 5])], slow=(7, 5))
    engine = engine_of(logger, op)
    assert {tactic for tactic, *_ in op.calls} == {7, 3, 5}
    op.calls.clear()
    check(engine)
    assert op.calls == [(3, F32, LINEAR)]
    assert "tactic 3" in "\n".join(text for _, text in logger.messages)


def test_tactics_of_one_combination_among_others(logger):
    def combinations():
        plain = trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [1, 2])
        return [plain, trtp.AutoTuneCombination("FP32, FP32", "HWC", [3])]

    op = Op(combinations, slow=(1, 2))
    check(engine_of(logger, op))
    assert {(t, f) for t, _, f in op.calls} == {(1, LINEAR), (2, LINEAR), (3, HWC)}


def test_without_autotune_impl_runs_at_inference_alone(logger):
    calls = []
    op = define(desc, lambda x, outputs, stream: calls.append(1))
    net = Net(logger)
    net.output(net.add(op_of(op)(net.input("x", (2, 3))))[0], "y")
    assert net.plan() is not None
    assert calls == []


def test_tactic_of_an_op_without_tactics(logger):
    op = Op(lambda: [trtp.AutoTuneCombination("FP32, FP32")])
    check(engine_of(logger, op))
    assert {tactic for tactic, *_ in op.calls} == {0}


def test_what_autotune_gets(logger):
    op = Op(lambda: [trtp.AutoTuneCombination("FP32, FP32")])
    engine_of(logger, op, shape=(-1, 3))
    x, outputs = op.seen[0]
    assert x.has_shape and x.is_dynamic and x.dtype == F32 and x.format == LINEAR
    assert (x.shape.min, x.shape.opt, x.shape.max) == ((1, 3), (2, 3), (4, 3))
    assert isinstance(outputs, tuple) and outputs[0].shape.max == (4, 3)
    assert x.shape_expr[1].constant_value() == 3 and x.shape_expr[0].is_fake


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "autotune: expected a list of AutoTuneCombination, got NoneType"),
        ([], "autotune: expected a list of AutoTuneCombination, got an empty list"),
        ([7], "autotune: expected a list of AutoTuneCombination, got int in it"),
        (trtp.AutoTuneCombination("FP32"), "got AutoTuneCombination"),
    ],
)
def test_wrong_results(logger, result, message):
    plugin_id = define(desc, lambda x, outputs, stream: None, lambda x, outputs: result)
    net = Net(logger)
    net.output(net.add(op_of(plugin_id)(net.input("x", (2, 3))))[0], "y")
    assert net.plan() is None
    assert message in logger.errors()


def test_tactics_that_nobody_takes(logger):
    def autotune(x, outputs):
        return [trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [1])]

    plugin_id = define(desc, lambda x, outputs, stream: None, autotune)
    net = Net(logger)
    net.output(net.add(op_of(plugin_id)(net.input("x", (2, 3))))[0], "y")
    assert net.plan() is None
    assert f"{plugin_id}, impl: expected a parameter 'tactic', because autotune" in logger.errors()


def test_the_timing_cache(logger):
    """Equal ops are timed once; an op with another source or attribute is timed again."""

    def description(x: trtp.TensorDesc, size: int) -> trtp.TensorDesc:
        return x.like()

    def autotune(x, outputs):
        return [trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [1, 2])]

    calls = []

    def one(x, outputs, stream, tactic):
        calls.append(tactic)

    def other(x, outputs, stream, tactic):
        calls.append(-tactic)

    plugin_id, cache = define(description, one, autotune), None
    changed = define(description, other, autotune)
    timed = []
    for use, size in ((plugin_id, 1), (plugin_id, 1), (plugin_id, 2), (changed, 1)):
        net = Net(logger)
        net.output(net.add(op_of(use)(net.input("x", (2, 3)), size))[0], "y")
        cache = net.config.create_timing_cache(cache.serialize() if cache else b"")
        assert net.config.set_timing_cache(cache, ignore_mismatch=False)
        calls.clear()
        assert net.plan() is not None, logger.errors()
        cache = net.config.get_timing_cache()
        timed.append(bool(calls))
    assert timed == [True, False, True, True]


def test_half_where_the_config_allows_it(logger):
    op = Op(lambda: [trtp.AutoTuneCombination("FP32|FP16, FP32|FP16")])
    net = Net(logger, 0)
    net.output(net.add(op_of(op.id)(net.input("x", (2, 3))))[0], "y")
    net.config.set_flag(trt.BuilderFlag.FP16)
    assert net.plan() is not None, logger.errors()
    assert {dtype for _, dtype, _ in op.calls} == {F32, F16}
