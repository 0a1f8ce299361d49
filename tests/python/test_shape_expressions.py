# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""IExprBuilder and IDimensionExpr in shape callbacks, as their documentation says."""

import pytest
import tensorrt as trt
from plugin_lab import Definition, Lab

OPERATION = trt.DimensionOperation


def output_shape(logger, shapes):
    """The shape of a plugin's output for an input of shape (-1, 6)."""
    definition = Definition(logger)
    outputs = definition.plugin(
        Lab(get_output_shapes=shapes), [definition.input("x", trt.float32, (-1, 6))]
    )
    return tuple(outputs[0].shape)


def test_what_is_not_constant_has_the_lowest_value(logger):
    seen = []

    def shapes(plugin, inputs, shape_inputs, expr_builder):
        rows, columns = inputs[0]
        total = expr_builder.operation(OPERATION.SUM, rows, columns)
        for expr in (rows, columns, total):
            seen.append((expr.is_constant(), expr.get_constant_value()))
        return [trt.DimsExprs(inputs[0])]

    assert output_shape(logger, shapes) == (-1, 6)
    assert seen == [(False, -(2**63)), (True, 6), (False, -(2**63))]


def test_a_refused_operation_is_none_and_harms_nothing(logger):
    refused = []

    def shapes(plugin, inputs, shape_inputs, expr_builder):
        rows, columns = inputs[0]
        zero, most = expr_builder.constant(0), expr_builder.constant(2**63 - 1)
        refused.append(expr_builder.operation(OPERATION.FLOOR_DIV, rows, zero))
        refused.append(expr_builder.operation(OPERATION.CEIL_DIV, columns, zero))
        refused.append(expr_builder.operation(OPERATION.PROD, most, most))
        return [trt.DimsExprs([columns, columns])]

    assert output_shape(logger, shapes) == (6, 6)
    assert refused == [None, None, None]
    assert logger.errors() == ""


@pytest.mark.parametrize("make", ["a list", "an assignment"])
def test_an_answer_with_a_refused_operation(logger, make):
    def shapes(plugin, inputs, shape_inputs, expr_builder):
        none = expr_builder.operation(OPERATION.FLOOR_DIV, inputs[0][0], expr_builder.constant(0))
        if make == "a list":
            return [trt.DimsExprs([inputs[0][0], none])]
        out = trt.DimsExprs(inputs[0])
        out[1] = none
        return [out]

    output_shape(logger, shapes)
    assert "[DimsExprs] dimension 1: expected an IDimensionExpr, got None" in logger.errors()
    assert "a division by the constant 0" in logger.errors()
