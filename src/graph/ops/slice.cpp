// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/slice.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::SampleMode;

/// The sliced axes, each with its start, size and stride.
struct Slice::Sliced {
    std::vector<int32_t> axes;
    ShapeValues start;
    ShapeValues size;
    ShapeValues stride;
};

namespace {

char const* nameOf(Slice::Role role) {
    constexpr char const* kNames[] = {"data", "start", "size", "stride", "fill value", "axes"};
    return kNames[role];
}

std::string rankProblem(Dims const& dims, std::string_view what) {
    return dims.nbDims >= -1 && dims.nbDims <= Dims::MAX_DIMS
               ? std::string()
               : fmt::format("expected {} with 0 to {} entries, got {}.", what,
                             static_cast<int32_t>(Dims::MAX_DIMS), dims.nbDims);
}

} // namespace

int64_t sampleCoordinate(SampleMode mode, int64_t coordinate, int64_t extent) noexcept {
    if (coordinate >= 0 && coordinate < extent) {
        return coordinate;
    }
    switch (mode) {
    case SampleMode::kCLAMP: return coordinate < 0 ? 0 : extent - 1;
    case SampleMode::kWRAP: {
        int64_t const rest = coordinate % extent;
        return rest < 0 ? rest + extent : rest;
    }
    case SampleMode::kREFLECT: {
        // Reflects without repeating the border elements. A single element is its own reflection.
        int64_t const period = extent == 1 ? 1 : 2 * (extent - 1);
        int64_t const rest = coordinate % period;
        int64_t const forward = rest < 0 ? rest + period : rest;
        return forward < extent ? forward : period - forward;
    }
    default: return -1;
    }
}

std::string Slice::problem() const {
    struct Rule {
        Dims const& dims;
        char const* what;
    };
    for (Rule const& rule : {Rule{start, "a start"}, Rule{size, "a size"}, Rule{stride, "a stride"},
                             Rule{axes, "axes"}}) {
        if (std::string text = rankProblem(rule.dims, rule.what); !text.empty()) {
            return text;
        }
    }
    return enumProblem(mode, "SampleMode");
}

TypeRule Slice::typeRule(int32_t operand, int32_t inputCount) const {
    bool const isData = operand == kData || operand == kFillValue || operand >= inputCount;
    return isData ? TypeRule::kCompute : TypeRule::kFixed;
}

ShapeValues Slice::numbers(InferContext const& context, Role role, std::size_t count) const {
    ShapeValues values;
    if (context.has(role)) {
        values = expectValues(context, kKind, role, nameOf(role));
    } else {
        Dims const& dims = role == kStart ? start : role == kSize ? size : stride;
        for (int32_t i = 0; i < dims.nbDims; ++i) {
            values.push_back(context.pool.constant(dims.d[i]));
        }
    }
    if (values.size() != count) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {}: expected {} entries, one for each sliced axis, got {}. Pass as many, or set "
             "the axes.",
             where(context, kKind), nameOf(role), count, values.size());
    }
    return values;
}

Slice::Sliced Slice::slicedAxes(InferContext const& context) const {
    int32_t const rank = context.inputs[0].shape.rank;
    std::vector<int64_t> given;
    if (context.has(kAxes)) {
        expectValues(context, kKind, kAxes, nameOf(kAxes));
        auto const known = constantValues(context.pool, context.inputs[kAxes]);
        if (!known) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, axes (input {}): expected constants, got values that change with the inputs. "
                 "Use a constant layer, or set the axes themselves.",
                 where(context, kKind), static_cast<int32_t>(kAxes));
        }
        given = *known;
    } else {
        for (int32_t i = 0; i < (axes.nbDims < 0 ? rank : axes.nbDims); ++i) {
            given.push_back(axes.nbDims < 0 ? i : axes.d[i]);
        }
    }
    Sliced sliced;
    for (int64_t const axis : given) {
        auto const fromFront = static_cast<int32_t>(axis < 0 ? axis + rank : axis);
        if (axis < -rank || axis >= rank ||
            std::count(sliced.axes.begin(), sliced.axes.end(), fromFront) != 0) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, axes: expected different ones from {} to {}, got {}. List each once.",
                 where(context, kKind), -rank, rank - 1, axis);
        }
        sliced.axes.push_back(fromFront);
    }
    sliced.start = numbers(context, kStart, sliced.axes.size());
    sliced.size = numbers(context, kSize, sliced.axes.size());
    sliced.stride = numbers(context, kStride, sliced.axes.size());
    return sliced;
}

void Slice::checkBounds(InferContext const& context, Sliced const& sliced) const {
    ExprPool const& pool = context.pool;
    for (std::size_t i = 0; i < sliced.axes.size(); ++i) {
        if (!pool.isConstant(sliced.size[i])) {
            continue;
        }
        int64_t const count = pool.constantOr(sliced.size[i]);
        if (count < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, size: expected extents of 0 or more, got {} for axis {}. Set another size.",
                 where(context, kKind), count, sliced.axes[i]);
        }
        ExprRef const input = context.inputs[0].shape[sliced.axes[i]];
        bool const known = pool.isConstant(sliced.start[i]) && pool.isConstant(sliced.stride[i]) &&
                           pool.isConstant(input);
        if (count == 0 || !known) {
            continue;
        }
        int64_t const extent = pool.constantOr(input);
        int64_t const first = pool.node(sliced.start[i]).value;
        int64_t const last = checkedAdd(
            first, checkedMul(count - 1, pool.node(sliced.stride[i]).value, "slice"), "slice");
        bool const outside = std::min(first, last) < 0 || std::max(first, last) >= extent;
        bool const strict = mode == SampleMode::kSTRICT_BOUNDS;
        if (outside && (strict || (extent == 0 && mode != SampleMode::kFILL))) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, axis {}: expected elements from 0 to {}, got {} to {}. Change start, size or "
                 "stride, or set another mode.",
                 where(context, kKind), sliced.axes[i], extent - 1, first, last);
        }
    }
}

void Slice::followValues(InferContext& context, Sliced const& sliced) const {
    ExprPool& pool = context.pool;
    TensorFacts const& data = context.inputs[0];
    TensorFacts const* const fill = context.has(kFillValue) ? &context.inputs[kFillValue] : nullptr;
    auto const isConstant = [&](ExprRef value) { return pool.isConstant(value); };
    if (!data.values || (fill != nullptr && !fill->values) ||
        !std::all_of(sliced.start.begin(), sliced.start.end(), isConstant) ||
        !std::all_of(sliced.stride.begin(), sliced.stride.end(), isConstant)) {
        return;
    }
    followElements(pool, context.outputs[0], [&](Position const& position) {
        Position at = position;
        for (std::size_t i = 0; i < sliced.axes.size(); ++i) {
            int32_t const axis = sliced.axes[i];
            int64_t const coordinate = pool.node(sliced.start[i]).value +
                                       position.d[axis] * pool.node(sliced.stride[i]).value;
            at.d[axis] = sampleCoordinate(mode, coordinate, pool.constantOr(data.shape[axis]));
            if (at.d[axis] < 0) {
                return fill == nullptr ? pool.constant(0) : fill->values->at(0);
            }
        }
        return valueAt(pool, data, at);
    });
}

void Slice::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, kAxes + 1);
    TensorFacts const& data = context.inputs[0];
    TensorFacts& output = context.outputs[0];
    output.type = data.type;
    if (context.has(kFillValue)) {
        TensorFacts const& fill = context.inputs[kFillValue];
        Dims const dims = knownDims(context.pool, fill.shape);
        if (fill.type != data.type || dims.nbDims > 1 || (dims.nbDims == 1 && dims.d[0] != 1)) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, fill value (input {}): expected one {} like the data, got {} {}. Cast or "
                 "reshape it.",
                 where(context, kKind), static_cast<int32_t>(kFillValue), kiln::nameOf(data.type),
                 kiln::nameOf(fill.type), toText(dims));
        }
    }
    bool const decides =
        context.has(kStart) || context.has(kSize) || context.has(kStride) || context.has(kAxes);
    if (!context.given.empty() && decides) {
        // The kernel reads the operands and checks each coordinate.
        if (context.given[0].nbDims != data.shape.rank) {
            fail(ErrorKind::kInvalidArgument, "{}: expected an output of rank {}, got {}.",
                 where(context, kKind), data.shape.rank, toText(context.given[0]));
        }
        output.shape = constantShape(context.pool, context.given[0]);
        return;
    }
    Sliced const sliced = slicedAxes(context);
    checkBounds(context, sliced);
    output.shape = data.shape;
    for (std::size_t i = 0; i < sliced.axes.size(); ++i) {
        output.shape[sliced.axes[i]] = sliced.size[i];
    }
    followValues(context, sliced);
}

void registerOp_slice(OpRegistry& registry) {
    registry.add(Slice::kKind, &Slice::load);
}

} // namespace kiln::graph
