// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/tensor_layout.h"
#include "graph/op_registry.h"
#include "plan/check.h"

namespace kiln::plan {
namespace {

/// What is known of the weights in front of one.
struct Known {
    uint64_t bytes = 0;
    uint64_t source = 0; ///< of the largest source
    int32_t depth = 0;
};

bool isKnownType(target::OperandType const& type) {
    auto const element = static_cast<int32_t>(type.type);
    auto const format = static_cast<int32_t>(type.format);
    return element >= 0 && element < nvinfer1::EnumMax<DataType>() && format >= 0 &&
           format < nvinfer1::EnumMax<TensorFormat>() && type.tag == 0;
}

Known checkSource(WeightRecord const& weight, ErrorKind kind) {
    bool const isStored = !weight.data.empty();
    if (!weight.operands.empty() || !weight.parameters.empty() || weight.dims.nbDims != 0 ||
        (weight.name.empty() && !isStored && weight.sourceBytes > 0) ||
        (isStored && weight.data.size() != weight.sourceBytes) ||
        (weight.name.empty() && !weight.label.empty())) {
        fail(kind,
             "[plan] weights '{}': expected a source with a name or with its {} bytes, and no "
             "operands, got {} bytes and {} operands. Build the plan again.",
             weight.name, weight.sourceBytes, weight.data.size(), weight.operands.size());
    }
    return {weight.sourceBytes, weight.sourceBytes, 0};
}

void checkOp(WeightRecord const& weight, ErrorKind kind) {
    std::unique_ptr<graph::Op> const op =
        graph::OpRegistry::instance().load(weight.op, weight.parameters);
    if (op->outputCount() != 1 || op->sizeCount() != 0 || !weight.name.empty() ||
        weight.operands.empty() || !weight.label.empty() || weight.sourceBytes != 0 ||
        !weight.data.empty()) {
        fail(kind,
             "[plan] weights, operation {}: expected operands, one output, no name and no bytes, "
             "got {} operands, {} outputs, name '{}' and {} bytes. Build the plan again.",
             weight.op, weight.operands.size(), op->outputCount(), weight.name, weight.sourceBytes);
    }
}

Known checkOperation(Document const& document, WeightRecord const& weight,
                     Table<WeightId, Known> const& before, ErrorKind kind) {
    checkOp(weight, kind);
    Known result;
    for (WeightOperand const& operand : weight.operands) {
        uint64_t bytes = 0;
        if (!before.has(operand.weight)) {
            fail(kind,
                 "[plan] weights, operation {}: expected operands among the {} weights before it, "
                 "got {}. Build the plan again.",
                 weight.op, before.size(), operand.weight);
        }
        target::OperandType const& type = document.weights[operand.weight].type;
        if (!storageBytes(type.type, type.format, operand.dims, bytes) ||
            bytes != before[operand.weight].bytes) {
            fail(kind,
                 "[plan] weights, operation {}: expected extents of its operand's {} bytes, got "
                 "{} of {}. Build the plan again.",
                 weight.op, before[operand.weight].bytes, toText(operand.dims), nameOf(type.type));
        }
        result.source = std::max(result.source, before[operand.weight].source);
        result.depth = std::max(result.depth, before[operand.weight].depth + 1);
    }
    bool const isSound =
        storageBytes(weight.type.type, weight.type.format, weight.dims, result.bytes);
    if (!isSound || result.bytes > target::Recipe::mostBytes(result.source) ||
        result.depth > target::Recipe::kMostDepth) {
        fail(kind,
             "[plan] weights, operation {}: expected a result of at most {} bytes, in at most {} "
             "operations, got {} of {} after {}. Build the plan again.",
             weight.op, target::Recipe::mostBytes(result.source), target::Recipe::kMostDepth,
             toText(weight.dims), nameOf(weight.type.type), result.depth);
    }
    return result;
}

void checkTensor(Document const& document, TensorRecord const& tensor,
                 Table<WeightId, Known> const& weights, ErrorKind kind) {
    if (tensor.weight == WeightId()) {
        return;
    }
    uint64_t bytes = 0;
    target::OperandType type = tensor.type;
    type.tag = 0; // it is packed behind its recipe
    bool const isSound =
        tensor.role == TensorRole::kConstant && weights.has(tensor.weight) &&
        document.weights[tensor.weight].type == type &&
        storageBytes(type.type, type.format, constantDims(document, tensor), bytes) &&
        bytes == weights[tensor.weight].bytes;
    if (!isSound) {
        fail(kind,
             "[plan] tensor '{}': expected a constant with the type and the bytes of its weights, "
             "got {} of {} weights. Build the plan again.",
             tensor.name, tensor.weight, weights.size());
    }
}

} // namespace

void checkWeights(Document const& document, ErrorKind kind) {
    for (FixedWeights const& own : document.fixedWeights) {
        if (!document.refittable || own.name.empty() || !isKnownType({own.type})) {
            fail(kind,
                 "[plan] fixed weights '{}': expected weights of a refittable plan with a name and "
                 "a known type, got type {}. Build the plan again.",
                 own.name, static_cast<int32_t>(own.type));
        }
    }
    if (!document.refittable && !document.weights.empty()) {
        fail(kind,
             "[plan] weights: expected none in a plan that is not refittable, got {}. Build the "
             "plan again.",
             document.weights.size());
    }
    Table<WeightId, Known> known;
    for (WeightRecord const& weight : document.weights) {
        if (!isKnownType(weight.type)) {
            fail(kind,
                 "[plan] weights '{}': expected a known type and format, got {} and {}. Build the "
                 "plan again.",
                 weight.name, static_cast<int32_t>(weight.type.type),
                 static_cast<int32_t>(weight.type.format));
        }
        known.push_back(weight.op.empty() ? checkSource(weight, kind)
                                          : checkOperation(document, weight, known, kind));
    }
    for (TensorRecord const& tensor : document.tensors) {
        checkTensor(document, tensor, known, kind);
    }
}

} // namespace kiln::plan
