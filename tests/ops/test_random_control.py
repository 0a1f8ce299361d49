# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Random networks of loops and conditionals in each other, against the same program in Python.

All values are three int32, so results are exact. The tests use the default target; test_emulated.py
runs some of them on the emulated GPU.
"""

import random

import numpy as np
import pytest
import tensorrt as trt
from case import Case, Engine
from loop_cases import CONCATENATE, LESS, SUM, both, constant, kept

SHAPE = (3,)
OPERATIONS = {
    trt.ElementWiseOperation.SUM: np.add,
    trt.ElementWiseOperation.SUB: np.subtract,
    trt.ElementWiseOperation.MAX: np.maximum,
    trt.ElementWiseOperation.MIN: np.minimum,
}


class Value:
    """A tensor, and what it is in Python: compute(env), where env has inputs and states by key."""

    def __init__(self, tensor, compute):
        self.tensor, self.compute = tensor, compute


class Generator:
    """Adds layers to a network and says what they compute."""

    def __init__(self, network, seed):
        self.network, self.random, self.keys = network, random.Random(seed), 0

    def key(self):
        self.keys += 1
        return self.keys

    def value(self, scope, depth):
        kinds = ["known"] if depth < 0 else ["known", "operation", "operation"]
        kinds += ["loop", "choice"] * (2 if depth > 0 else 0)
        return getattr(self, self.random.choice(kinds))(scope, depth)

    def known(self, scope, depth):
        return self.random.choice(scope)

    def operation(self, scope, depth):
        a, b = (self.value(scope, depth - 1) for _ in range(2))
        operation = self.random.choice(list(OPERATIONS))
        compute = OPERATIONS[operation]
        return Value(
            both(self.network, operation, a.tensor, b.tensor),
            lambda env: compute(a.compute(env), b.compute(env)),
        )

    def total(self, value):
        reduced = self.network.add_reduce(value.tensor, trt.ReduceOperation.SUM, 1, False)
        return Value(reduced.get_output(0), lambda env: value.compute(env).sum(dtype=np.int32))

    def less(self, a, b):
        return Value(
            both(self.network, LESS, a.tensor, b.tensor),
            lambda env: bool(a.compute(env) < b.compute(env)),
        )

    def choice(self, scope, depth):
        conditional = self.network.add_if_conditional()
        condition = self.less(*(self.total(self.value(scope, 0)) for _ in range(2)))
        conditional.set_condition(condition.tensor)
        inside = list(scope)
        for i in self.random.sample(range(len(scope)), min(2, len(scope))):
            entered = conditional.add_input(scope[i].tensor).get_output(0)
            inside[i] = Value(entered, scope[i].compute)
        a, b = (self.value(inside, depth - 1) for _ in range(2))
        return Value(
            conditional.add_output(a.tensor, b.tensor).get_output(0),
            lambda env: (a if condition.compute(env) else b).compute(env),
        )

    def count(self, scope):
        """A number of passes that is constant or data."""
        number = self.random.randrange(4)
        if self.random.random() < 0.5:
            return Value(constant(self.network, number, np.int32), lambda env: number)
        most = Value(constant(self.network, number, np.int32), lambda env: np.int32(number))
        given = self.total(self.random.choice(scope))
        return Value(
            both(self.network, trt.ElementWiseOperation.MIN, given.tensor, most.tensor),
            lambda env: int(min(given.compute(env), number)),
        )

    def loop(self, scope, depth):
        loop = self.network.add_loop()
        count = self.count(scope)
        loop.add_trip_limit(count.tensor, trt.TripLimit.COUNT)
        initial = [self.value(scope, 0) for _ in range(self.random.randrange(1, 3))]
        layers = [loop.add_recurrence(value.tensor) for value in initial]
        keys = [self.key() for _ in initial]
        states = [
            Value(layer.get_output(0), lambda env, key=key: env[key])
            for layer, key in zip(layers, keys, strict=True)
        ]
        inside = scope + states * 2
        condition = None
        if self.random.random() < 0.4:
            limit = self.total(self.random.choice(scope))
            condition = self.less(limit, self.total(self.value(inside, 0)))
            loop.add_trip_limit(condition.tensor, trt.TripLimit.WHILE)
        following = [self.value(inside, depth - 1) for _ in initial]
        for layer, value in zip(layers, following, strict=True):
            layer.set_input(1, value.tensor)
        stacks = self.random.random() < 0.4
        kept_value = self.value(inside, depth - 1) if stacks else states[0]
        rows = self.random.randrange(1, 5)

        def compute(env):
            env = dict(env)
            env.update({k: v.compute(env) for k, v in zip(keys, initial, strict=True)})
            total = np.zeros(SHAPE, np.int32)
            for i in range(max(count.compute(env), 0)):
                if condition is not None and not condition.compute(env):
                    break
                if stacks and i < rows:
                    total = total + kept_value.compute(env)
                env.update({k: v.compute(env) for k, v in zip(keys, following, strict=True)})
            return total if stacks else env[keys[0]]

        if not stacks:
            return Value(kept(loop, states[0].tensor, trt.LoopOutput.LAST_VALUE), compute)
        length = constant(self.network, rows, np.int32)
        stack = kept(loop, kept_value.tensor, CONCATENATE, length)
        summed = self.network.add_reduce(stack, trt.ReduceOperation.SUM, 1, False)
        return Value(summed.get_output(0), compute)


@pytest.mark.parametrize("seed", range(150))
def test_random_networks(seed, logger):
    made = []

    def build(network, x, _):
        scope = [Value(tensor, lambda env, i=i: env[f"x{i}"]) for i, tensor in enumerate(x)]
        generator = Generator(network, seed)
        first, second = (generator.value(scope, 3) for _ in range(2))
        made.append((first, second))
        return both(network, SUM, both(network, SUM, first.tensor, second.tensor), x[0])

    case = Case(f"random{seed}", [(SHAPE, SHAPE)], build, None, types=(np.int32,))
    engine = Engine(case, np.int32, logger, dynamic=False)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        arrays = [rng.integers(-2, 3, SHAPE, dtype=np.int32) for _ in range(2)]
        env = {f"x{i}": array for i, array in enumerate(arrays)}
        first, second = made[0]
        want = first.compute(env) + second.compute(env) + arrays[0]
        np.testing.assert_array_equal(engine.run(arrays), want)
