// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/resize.h"

#include <algorithm>
#include <cmath>

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::InterpolationMode;

std::string Resize::problem() const {
    for (std::string const& text :
         {enumProblem(mode, "InterpolationMode"),
          enumProblem(transformation, "ResizeCoordinateTransformation"),
          enumProblem(selector, "ResizeSelector"), enumProblem(rounding, "ResizeRoundMode")}) {
        if (!text.empty()) {
            return text;
        }
    }
    if (!std::isfinite(cubic)) {
        return fmt::format("expected a finite cubic coefficient, got {}.", cubic);
    }
    if (dims.nbDims < -1 || dims.nbDims > Dims::MAX_DIMS ||
        std::any_of(dims.d, dims.d + std::max(dims.nbDims, 0), [](int64_t d) { return d < 0; })) {
        return fmt::format("expected output dimensions of 0 or more, got {}.", toText(dims));
    }
    if (scaleCount < -1 || scaleCount > Dims::MAX_DIMS) {
        return fmt::format("expected at most {} scales, got {}.",
                           static_cast<int32_t>(Dims::MAX_DIMS), scaleCount);
    }
    for (int32_t i = 0; i < scaleCount; ++i) {
        float const scale = scales[static_cast<std::size_t>(i)];
        if (!(scale > 0.0F) || !std::isfinite(scale)) {
            return fmt::format("expected finite scales above 0, got {} for axis {}.", scale, i);
        }
    }
    return {};
}

TypeRule Resize::typeRule(int32_t operand, int32_t inputCount) const {
    return operand == 0 || operand >= inputCount ? TypeRule::kCompute : TypeRule::kFixed;
}

int32_t Resize::taps() const noexcept {
    return mode == InterpolationMode::kNEAREST ? 1 : mode == InterpolationMode::kLINEAR ? 2 : 4;
}

void Resize::inferShape(InferContext& context) const {
    TensorFacts const& data = context.inputs[0];
    ShapeExpr& shape = context.outputs[0].shape;
    int32_t const rank = data.shape.rank;
    shape.rank = rank;
    bool const byOperand = context.has(kExtents);
    int64_t const given = byOperand ? expectShapeTensor(context, kKind, kExtents, "extents")
                          : dims.nbDims >= 0 ? dims.nbDims
                                             : scaleCount;
    if (given != rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected output dimensions or scales for {} axes, got {}. Set one for each axis "
             "of the input.",
             where(context, kKind), rank, given < 0 ? "none" : fmt::format("{}", given));
    }
    if (byOperand && !context.given.empty()) {
        // Kernels do not read the operand.
        Dims const& known = context.given[0];
        shape = constantShape(context.pool, known);
        if (known.nbDims != rank) {
            fail(ErrorKind::kInvalidArgument, "{}: expected an output of rank {}, got {}.",
                 where(context, kKind), rank, toText(known));
        }
        return;
    }
    if (byOperand) {
        ShapeValues const& values = expectValues(context, kKind, kExtents, "extents");
        std::copy(values.begin(), values.end(), shape.extent.begin());
        return;
    }
    ExprPool& pool = context.pool;
    for (int32_t axis = 0; axis < rank; ++axis) {
        if (dims.nbDims >= 0) {
            shape[axis] = pool.constant(dims.d[axis]);
            continue;
        }
        float const scale = scales[static_cast<std::size_t>(axis)];
        // In float32, as other implementations: 10 * 0.7 is 7.
        ExprRef const product =
            pool.binary(ExprOp::kProd, data.shape[axis], pool.real(static_cast<double>(scale)));
        shape[axis] = scale == 1.0F
                          ? data.shape[axis]
                          : pool.unary(ExprOp::kFloor, pool.unary(ExprOp::kSingle, product));
    }
}

/// Which axes may change, as far as the extents are known.
void Resize::checkAxes(InferContext const& context) const {
    ShapeExpr const& from = context.inputs[0].shape;
    ShapeExpr const& to = context.outputs[0].shape;
    int32_t const most = mode == InterpolationMode::kNEAREST  ? Dims::MAX_DIMS
                         : mode == InterpolationMode::kLINEAR ? 3
                                                              : 2;
    for (int32_t axis = 0; axis < from.rank; ++axis) {
        int64_t const input = context.pool.constantOr(from[axis]);
        int64_t const output = context.pool.constantOr(to[axis]);
        if (input < 0 || output < 0) {
            continue;
        }
        if (input != output && axis < from.rank - most) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected only the last {} axes to be resized in mode {}, got {} -> {} for "
                 "axis {}. Keep its extent, or use NEAREST.",
                 where(context, kKind), most,
                 mode == InterpolationMode::kLINEAR ? "LINEAR" : "CUBIC", input, output, axis);
        }
        if (input == 0 && output > 0) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, axis {}: expected elements to read, got an extent of 0 for an output of {}. "
                 "Keep the extent.",
                 where(context, kKind), axis, output);
        }
    }
}

void Resize::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 2);
    TensorFacts const& data = context.inputs[0];
    context.outputs[0].type = data.type;
    bool const computes = isFloating(data.type) || data.type == DataType::kINT8 ||
                          data.type == DataType::kUINT8 || data.type == DataType::kINT32 ||
                          data.type == DataType::kINT64;
    if (mode != InterpolationMode::kNEAREST && !computes) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected input 0 of a floating-point or integer type, got {}. Cast it.",
             where(context, kKind), nameOf(data.type));
    }
    inferShape(context);
    checkAxes(context);
}

void registerOp_resize(OpRegistry& registry) {
    registry.add(Resize::kKind, &Resize::load);
}

} // namespace kiln::graph
