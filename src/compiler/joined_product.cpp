// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/joined_product.h"

#include <algorithm>

#include "compiler/constants.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/matrix_multiply.h"

namespace kiln::compiler {
namespace {

using nvinfer1::MatrixOperation;

Dims dimsOf(Program const& program, ValueId value) {
    return graph::knownDims(program.pool, program.value(value).shape);
}

/// The axis of the weights' columns.
int32_t columnsAxis(WeightProduct const& part, Dims const& weights) {
    return weights.nbDims - (part.transposed ? 2 : 1);
}

void setExtents(Program const& program, Extents& extents, ValueId id, ValueId like, auto&& change) {
    for (Table<ValueId, Dims>* const bound : {&extents.min, &extents.opt, &extents.max}) {
        Dims dims = like == ValueId::kNone ? Dims{} : (*bound)[like];
        change(dims);
        bound->resize(program.values().size());
        (*bound)[id] = dims;
    }
}

} // namespace

std::optional<WeightProduct> weightProductOf(Program const& program, ValueId value) {
    Step const* const step = program.producerOf(value);
    auto const* op = step == nullptr ? nullptr : step->as<graph::MatrixMultiply>();
    if (op == nullptr || !program.value(value).isPrivate() ||
        op->operation[0] != MatrixOperation::kNONE ||
        op->operation[1] == MatrixOperation::kVECTOR) {
        return std::nullopt;
    }
    WeightProduct found{program.value(value).producer(), step->inputs()[0], step->inputs()[1],
                        op->operation[1] == MatrixOperation::kTRANSPOSE};
    Dims const dims = dimsOf(program, found.weights);
    bool const isMatrix =
        isFloatConstant(program.value(found.weights)) && dims.nbDims >= 2 &&
        std::all_of(dims.d, dims.d + dims.nbDims - 2, [](int64_t extent) { return extent == 1; });
    if (!isMatrix) {
        return std::nullopt;
    }
    found.width = dims.d[columnsAxis(found, dims)];
    return found;
}

bool JoinedProduct::fits(Program const& program, std::vector<WeightProduct> const& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](WeightProduct const& part) {
        return part.x == parts[0].x && part.transposed == parts[0].transposed &&
               program.value(part.weights).type == program.value(parts[0].weights).type;
    });
}

JoinedProduct::JoinedProduct(Program& program, Extents& extents, std::vector<WeightProduct> parts)
    : program_(program), parts_(std::move(parts)) {
    for (WeightProduct const& part : parts_) {
        begins_.push_back(width_);
        width_ += part.width;
    }
    WeightProduct const& first = parts_[0];
    Dims dims = dimsOf(program, first.weights);
    dims.d[columnsAxis(first, dims)] = width_;
    ValueId const weights = addConstantLike(program, extents, first.weights, dims);
    std::vector<ValueId> own;
    for (WeightProduct const& part : parts_) {
        own.push_back(part.weights);
    }
    program.value(weights).recipe = sideBySide(program, own, !first.transposed);
    Step const& like = program.step(first.step);
    step_ = Step({first.x, weights}, {addWithWidth(program, extents, like.outputs()[0], width_)});
    step_.name = like.name;
    step_.op = like.op->clone();
}

StepId JoinedProduct::place() const {
    for (StepId const id : program_.order()) {
        for (WeightProduct const& part : parts_) {
            if (part.step == id) {
                return id;
            }
        }
    }
    return parts_[0].step;
}

StepId JoinedProduct::insert(Rewriter& rewriter, std::string_view pattern) {
    std::vector<StepId> products;
    for (WeightProduct const& part : parts_) {
        products.push_back(part.step);
    }
    Step step(step_.inputs(), step_.outputs());
    step.op = step_.op->clone();
    StepId const id = rewriter.insertBefore(place(), std::move(step));
    rewriter.join(id, products, pattern);
    return id;
}

ValueId addWithWidth(Program& program, Extents& extents, ValueId like, int64_t width) {
    Value value;
    value.name = program.value(like).name;
    value.type = program.value(like).type;
    value.shape = program.value(like).shape;
    value.shape[value.shape.rank - 1] = program.pool.constant(width);
    ValueId const id = program.addValue(std::move(value));
    setExtents(program, extents, id, like, [&](Dims& dims) { dims.d[dims.nbDims - 1] = width; });
    return id;
}

ValueId addConstantLike(Program& program, Extents& extents, ValueId like, Dims const& dims) {
    Value value;
    value.name = program.value(like).name;
    value.origin = program.value(like).origin;
    value.role = plan::TensorRole::kConstant;
    value.type = program.value(like).type;
    value.shape = graph::constantShape(program.pool, dims);
    ValueId const id = program.addValue(std::move(value));
    setExtents(program, extents, id, ValueId::kNone, [&](Dims& own) { own = dims; });
    return id;
}

target::RecipePtr sideBySide(Program const& program, std::vector<ValueId> const& parts,
                             bool lastAxis) {
    graph::Concatenation op;
    Dims dims = dimsOf(program, parts[0]);
    op.axis = dims.nbDims - (lastAxis ? 1 : 2);
    dims.d[op.axis] = 0;
    std::vector<target::RecipeOperand> operands;
    for (ValueId const part : parts) {
        operands.push_back({program.value(part).recipe, dimsOf(program, part)});
        dims.d[op.axis] += operands.back().dims.d[op.axis];
    }
    return computed(op, std::move(operands), program.value(parts[0]).type, dims);
}

} // namespace kiln::compiler
