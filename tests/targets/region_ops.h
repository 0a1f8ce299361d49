// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of regions, regions that read slices of their inputs, and what a region gives, for the
// kernels of each target.
#pragma once

#include <memory>

#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/region.h"
#include "graph/ops/slice.h"
#include "graph/ops/unary.h"
#include "targets/cpu/kernel_fixture.h"

namespace kiln::test::ops {

using OpPtr = std::unique_ptr<graph::Op>;
using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;

inline OpPtr activation(ActivationType type, float alpha = 0.0F, float beta = 0.0F) {
    auto op = std::make_unique<graph::Activation>();
    op->type = type;
    op->alpha = alpha;
    op->beta = beta;
    return op;
}

inline OpPtr unary(nvinfer1::UnaryOperation operation) {
    auto op = std::make_unique<graph::Unary>();
    op->operation = operation;
    return op;
}

inline OpPtr elementwise(ElementWiseOperation operation) {
    auto op = std::make_unique<graph::ElementWise>();
    op->operation = operation;
    return op;
}

inline OpPtr cast(DataType type) {
    auto op = std::make_unique<graph::Cast>();
    op->toType = type;
    return op;
}

/// The coordinates first ... first + count - 1 of an axis.
inline OpPtr slice(int64_t axis, int64_t first, int64_t count) {
    auto op = std::make_unique<graph::Slice>();
    op->axes = makeDims({axis});
    op->start = makeDims({first});
    op->size = makeDims({count});
    op->stride = makeDims({1});
    return op;
}

/// gelu(x[..., :n] + bias) * x[..., n:]; x has 3 axes.
inline graph::Region gatedHalves(int64_t n) {
    graph::Region region(2);
    int32_t const gate = region.add(slice(2, 0, n), {0});
    int32_t const other = region.add(slice(2, n, n), {0});
    int32_t const sum = region.add(elementwise(ElementWiseOperation::kSUM), {gate, 1});
    int32_t const gelu = region.add(activation(ActivationType::kGELU_ERF), {sum});
    region.setResults({region.add(elementwise(ElementWiseOperation::kPROD), {gelu, other})});
    return region;
}

/// x[:, 1:4, :] * x[:, 4:5, :] + x[:, 0:3, 2:3], where one row and one column repeat; x is
/// [2, 5, n].
inline graph::Region repeatedSlices() {
    graph::Region region(1);
    int32_t const middle = region.add(slice(1, 1, 3), {0});
    int32_t const last = region.add(slice(1, 4, 1), {0});
    auto corner = std::make_unique<graph::Slice>();
    corner->start = makeDims({0, 0, 2});
    corner->size = makeDims({2, 3, 1});
    corner->stride = makeDims({1, 1, 1});
    int32_t const column = region.add(std::move(corner), {0});
    int32_t const product = region.add(elementwise(ElementWiseOperation::kPROD), {middle, last});
    region.setResults({region.add(elementwise(ElementWiseOperation::kSUM), {product, column})});
    return region;
}

/// The region's result by the reference of each operation on the cpu. Floats are not rounded in
/// between.
inline std::vector<double> expectedOf(graph::Region const& region,
                                      std::vector<Values> const& inputs) {
    std::vector<Values> values = inputs;
    for (Values& value : values) {
        value.type = isFloating(value.type) ? DataType::kFLOAT : value.type;
    }
    for (graph::Region::Node const& node : region.nodes()) {
        std::vector<Values> operands;
        for (int32_t const input : node.inputs) {
            operands.push_back(values[static_cast<std::size_t>(input)]);
        }
        values.push_back(runAll(*node.op, operands).back().output);
    }
    return values.at(static_cast<std::size_t>(region.results().at(0))).data;
}

} // namespace kiln::test::ops
