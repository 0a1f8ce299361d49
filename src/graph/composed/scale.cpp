// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/scale.h"

#include <algorithm>
#include <array>

#include "base/checked.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ScaleMode;

namespace {

struct Coefficient {
    char const* role;
    nvinfer1::Weights const& weights;
    ElementWiseOperation operation;
};

/// In the order in which they apply.
std::array<Coefficient, 3> coefficientsOf(Scale const& op) {
    return {{{"scale", op.scale, ElementWiseOperation::kPROD},
             {"shift", op.shift, ElementWiseOperation::kSUM},
             {"power", op.power, ElementWiseOperation::kPOW}}};
}

} // namespace

std::string Scale::problem() const {
    if (channelAxis < 0) {
        return fmt::format("expected a channel axis of 0 or more, got {}.", channelAxis);
    }
    for (Coefficient const& each : coefficientsOf(*this)) {
        if (each.weights.count > 0 && !isFloating(each.weights.type)) {
            return fmt::format("expected a {} of float32, float16 or bfloat16, got {}.", each.role,
                               isMember(each.weights.type) ? nameOf(each.weights.type)
                                                           : "an unknown type");
        }
    }
    return enumProblem(mode, "ScaleMode");
}

Dims Scale::coefficientDims(InferContext const& context) const {
    Dims dims = knownDims(context.pool, context.inputs[0].shape);
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        bool const varies = (mode == ScaleMode::kCHANNEL && axis == channelAxis) ||
                            (mode == ScaleMode::kELEMENTWISE && axis >= channelAxis);
        dims.d[axis] = varies ? dims.d[axis] : 1;
    }
    return dims;
}

void Scale::check(InferContext const& context) const {
    expectInputs(context, kKind, 1, 1);
    expectFloating(context, kKind);
    int32_t const rank = context.inputs[0].shape.rank;
    if (mode != ScaleMode::kUNIFORM && channelAxis >= rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a channel axis below the input's rank {}, got {}. Set another axis.",
             where(context, kKind), rank, channelAxis);
    }
    Dims const dims = coefficientDims(context);
    int64_t wanted = 1;
    int32_t unknown = -1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        unknown = dims.d[axis] < 0 ? axis : unknown;
        wanted = checkedMul(wanted, std::max<int64_t>(dims.d[axis], 1), "scale");
    }
    for (Coefficient const& each : coefficientsOf(*this)) {
        int64_t const count = each.weights.count;
        if (count == 0) {
            continue;
        }
        if (unknown >= 0 && mode == ScaleMode::kELEMENTWISE) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected known extents from axis {} on for coefficients of each element, got "
                 "one that depends on the inputs at axis {}. Multiply by a constant that is "
                 "broadcast.",
                 where(context, kKind), channelAxis, unknown);
        }
        if ((unknown < 0 && count != wanted) || each.weights.values == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, {} weights: expected {} values, got {}. Pass weights that match the mode.",
                 where(context, kKind), each.role, wanted,
                 each.weights.values == nullptr ? "none" : fmt::format("{}", count));
        }
    }
}

std::vector<WeightSlot> Scale::weights(int32_t inputCount) const {
    static_cast<void>(inputCount);
    std::vector<WeightSlot> slots;
    for (Coefficient const& each : coefficientsOf(*this)) {
        if (each.weights.count > 0) {
            slots.push_back({each.role, each.weights, Dims{1, {each.weights.count}}});
        }
    }
    return slots;
}

std::unique_ptr<Region> Scale::parts(InferContext const& context) const {
    Parts parts(context);
    Dims const dims = coefficientDims(context);
    int32_t value = 0;
    int32_t operand = 0;
    for (Coefficient const& each : coefficientsOf(*this)) {
        if (each.weights.count == 0) {
            continue;
        }
        std::vector<Parts::Extent> extents;
        for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
            // The only extent that may be unknown is that of the channels.
            extents.push_back(
                Parts::Extent::of(dims.d[axis] < 0 ? each.weights.count : dims.d[axis]));
        }
        int32_t const typed = parts.cast(++operand, context.inputs[0].type);
        value = parts.elementWise(each.operation, value, parts.reshape(typed, extents));
    }
    return parts.finish({value});
}

} // namespace kiln::graph
