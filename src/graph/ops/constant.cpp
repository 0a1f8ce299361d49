// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/constant.h"

#include <cstring>

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

/// Element `index`; weights in a mapped file begin at any byte.
template <typename T>
T elementAs(nvinfer1::Weights const& weights, int64_t index) {
    T element;
    std::memcpy(&element, static_cast<T const*>(weights.values) + index, sizeof(T));
    return element;
}

int64_t elementOf(nvinfer1::Weights const& weights, int64_t index) {
    switch (weights.type) {
    case DataType::kINT32: return elementAs<int32_t>(weights, index);
    case DataType::kBOOL: return elementAs<uint8_t>(weights, index) != 0 ? 1 : 0;
    default: return elementAs<int64_t>(weights, index);
    }
}

} // namespace

std::string Constant::problem() const {
    bool known = dims.nbDims >= 0 && dims.nbDims <= Dims::MAX_DIMS;
    for (int32_t i = 0; known && i < dims.nbDims; ++i) {
        known = dims.d[i] >= 0;
    }
    return known ? std::string()
                 : fmt::format("expected known extents of 0 or more, got {}.", toText(dims));
}

std::string Constant::countProblem() const {
    int64_t const wanted = volume(dims, "constant");
    if (value.count == wanted && (value.values != nullptr || wanted == 0)) {
        return {};
    }
    return fmt::format("expected {} values ({}), got {}. Pass as many weights as the dimensions "
                       "have elements.",
                       wanted, toText(dims),
                       value.values == nullptr ? "none" : fmt::format("{}", value.count));
}

void Constant::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 0, 0);
    if (std::string const text = countProblem(); !text.empty()) {
        fail(ErrorKind::kInvalidArgument, "{}, weights: {}", where(context, kKind), text);
    }
    context.outputs[0].type = value.type;
    context.outputs[0].shape = constantShape(context.pool, dims);
    int64_t index = 0;
    followElements(context.pool, context.outputs[0], [&](Position const&) {
        return value.type == DataType::kFLOAT ? context.pool.real(elementAs<float>(value, index++))
                                              : context.pool.constant(elementOf(value, index++));
    });
}

std::vector<WeightSlot> Constant::weights(int32_t inputCount) const {
    static_cast<void>(inputCount);
    return {{"value", value, dims}};
}

TypeRule Constant::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed;
}

void registerOp_constant(OpRegistry& registry) {
    registry.add(Constant::kKind, &Constant::load);
}

} // namespace kiln::graph
