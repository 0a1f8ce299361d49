// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/parts.h"

#include <algorithm>

#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/fill.h"
#include "graph/ops/select.h"
#include "graph/ops/shape.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::graph {
namespace {

Dims vectorDims(int64_t extent) {
    return {1, {extent}};
}

} // namespace

Parts::Parts(InferContext const& context)
    : context_(context),
      region_(std::make_unique<Region>(static_cast<int32_t>(context.inputs.size()))),
      facts_(context.inputs.begin(), context.inputs.end()) {}

bool Parts::has(int32_t operand) const {
    return operand < region_->inputCount() && !facts(operand).isAbsent();
}

int32_t Parts::add(std::unique_ptr<Op> op, std::vector<int32_t> inputs) {
    std::vector<TensorFacts> operands;
    for (int32_t const value : inputs) {
        operands.push_back(value == Region::kAbsent ? TensorFacts::absent() : facts(value));
    }
    std::vector<TensorFacts> outputs(static_cast<std::size_t>(op->outputCount()));
    InferContext context{context_.pool, context_.layer, operands, outputs};
    expectPresent(context, *op);
    op->infer(context);
    int32_t const first = region_->add(std::move(op), std::move(inputs));
    facts_.insert(facts_.end(), outputs.begin(), outputs.end());
    return first;
}

int32_t Parts::elementWise(nvinfer1::ElementWiseOperation operation, int32_t a, int32_t b) {
    ElementWise op;
    op.operation = operation;
    return add(op, {a, b});
}

int32_t Parts::select(int32_t condition, int32_t thenValue, int32_t elseValue) {
    return add(Select(), {condition, thenValue, elseValue});
}

int32_t Parts::cast(int32_t value, DataType type) {
    if (facts(value).type == type) {
        return value;
    }
    Cast op;
    op.toType = type;
    return add(op, {value});
}

int32_t Parts::number(double number, DataType type, int32_t rank) {
    bool const whole = type == DataType::kINT32 || type == DataType::kINT64;
    Fill op;
    op.type = whole || isFloating(type) ? type : DataType::kFLOAT;
    op.alpha = number;
    op.beta = 0.0;
    op.isWhole = whole;
    op.wholeAlpha = whole ? static_cast<int64_t>(number) : 0;
    op.wholeBeta = 0;
    int32_t const scalar = cast(add(op, {}), type);
    return rank == 0
               ? scalar
               : reshape(scalar, std::vector<Extent>(static_cast<std::size_t>(rank), Extent()));
}

int32_t Parts::range(int64_t first, int64_t step, int64_t count, DataType type) {
    Fill op;
    op.dims = vectorDims(count);
    op.type = type;
    op.isWhole = true;
    op.wholeAlpha = first;
    op.wholeBeta = step;
    return add(op, {});
}

int32_t Parts::extents(int32_t value, std::span<Extent const> extents) {
    int32_t const shape = add(Shape(), {value});
    std::vector<int32_t> entries;
    for (Extent const& extent : extents) {
        if (extent.axis < 0) {
            entries.push_back(range(extent.number, 0, 1, DataType::kINT64));
            continue;
        }
        Slice op;
        op.start = vectorDims(extent.axis);
        op.size = vectorDims(1);
        op.stride = vectorDims(1);
        entries.push_back(add(op, {shape}));
    }
    if (entries.empty()) {
        return range(0, 0, 0, DataType::kINT64);
    }
    if (entries.size() == 1) {
        return entries.front();
    }
    Concatenation op;
    op.axis = 0;
    return add(op, entries);
}

bool Parts::areKnown(int32_t value, std::span<Extent const> extents) const {
    return std::all_of(extents.begin(), extents.end(), [&](Extent const& extent) {
        return extent.axis < 0 || context_.pool.isConstant(facts(value).shape[extent.axis]);
    });
}

int32_t Parts::reshape(int32_t value, std::vector<Extent> const& extents) {
    Shuffle op;
    op.zeroIsPlaceholder = false;
    if (!areKnown(value, extents)) {
        return add(op, {value, this->extents(value, extents)});
    }
    op.reshape.nbDims = static_cast<int32_t>(extents.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
        op.reshape.d[i] = extents[i].axis < 0
                              ? extents[i].number
                              : context_.pool.constantOr(facts(value).shape[extents[i].axis]);
    }
    return add(op, {value});
}

int32_t Parts::spread(int32_t value, int32_t rank, int32_t last) {
    int32_t const own = this->rank(value);
    if (own == rank) {
        return value;
    }
    std::vector<Extent> extents(static_cast<std::size_t>(rank));
    for (int32_t axis = 0; axis < own; ++axis) {
        extents.at(static_cast<std::size_t>(last - own + 1 + axis)) = Extent::ofAxis(axis);
    }
    return reshape(value, extents);
}

int32_t Parts::transpose(int32_t value, std::span<int32_t const> order) {
    Shuffle op;
    std::copy(order.begin(), order.end(), op.firstTranspose.begin());
    return add(op, {value});
}

std::unique_ptr<Region> Parts::finish(std::vector<int32_t> results) {
    region_->setResults(std::move(results));
    return std::move(region_);
}

std::vector<TensorFacts> operandsWithWeights(ExprPool& pool, Op const& op,
                                             std::span<TensorFacts const> inputs) {
    std::vector<TensorFacts> operands(inputs.begin(), inputs.end());
    std::size_t place = 0;
    for (WeightSlot const& slot : op.weights(static_cast<int32_t>(inputs.size()))) {
        TensorFacts facts;
        facts.type = slot.weights.type;
        facts.shape = constantShape(pool, slot.dims);
        while (place < operands.size() && !operands[place].isAbsent()) {
            ++place;
        }
        if (place < operands.size()) {
            operands[place] = facts;
        } else {
            operands.push_back(facts);
        }
        ++place;
    }
    return operands;
}

void inferByParts(InferContext& context, Op const& op) {
    std::vector<TensorFacts> const operands = operandsWithWeights(context.pool, op, context.inputs);
    std::unique_ptr<Region> const region = op.parts({context.pool, context.layer, operands, {}});
    std::vector<TensorFacts> const values = region->facts(context.pool, context.layer, operands);
    for (std::size_t i = 0; i < context.outputs.size(); ++i) {
        context.outputs[i] = values[static_cast<std::size_t>(region->results()[i])];
    }
}

} // namespace kiln::graph
