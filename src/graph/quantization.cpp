// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/quantization.h"

#include <algorithm>

namespace kiln::graph {
namespace {

bool isSingle(Dims const& dims) {
    return std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent == 1; });
}

/// Whether the scale has one number for each index along an axis.
bool isAlongAxis(Dims const& data, Dims const& scale, ScaleShape const& shape) {
    return shape.blockShape.nbDims == 0 && scale.nbDims == 1 && data.nbDims > 1 &&
           shape.axis >= 0 && scale.d[0] != 1;
}

[[noreturn]] void failScale(InferContext const& context, std::string_view kind, Dims const& scale,
                            std::string const& expected) {
    fail(ErrorKind::kInvalidArgument,
         "{}, scale (input 1): expected {}, got {}. Reshape it, or set the axis or the block "
         "shape.",
         where(context, kind), expected, toText(scale));
}

void checkExtents(InferContext const& context, std::string_view kind, ScaleShape const& shape) {
    ExprPool const& pool = context.pool;
    Dims const data = knownDims(pool, context.inputs[0].shape);
    Dims const scale = knownDims(pool, context.inputs[1].shape);
    if (shape.axis >= data.nbDims) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis below the rank {} of the input, got {}.", where(context, kind),
             data.nbDims, shape.axis);
    }
    if (shape.blockShape.nbDims == 0 && isSingle(scale)) {
        return;
    }
    if (isAlongAxis(data, scale, shape)) {
        int64_t const extent = data.d[shape.axis];
        if (extent >= 0 && scale.d[0] >= 0 && extent != scale.d[0]) {
            failScale(context, kind, scale,
                      fmt::format("1 number, or {} along axis {}", extent, shape.axis));
        }
        return;
    }
    if (scale.nbDims != data.nbDims) {
        failScale(context, kind, scale,
                  fmt::format("1 number, or the rank {} of the input", data.nbDims));
    }
    for (int32_t i = 0; i < data.nbDims; ++i) {
        int64_t const extent = data.d[i];
        if (extent < 0 || scale.d[i] < 0) {
            continue;
        }
        if (shape.blockShape.nbDims == 0) {
            if (scale.d[i] > extent || (scale.d[i] == 0) != (extent == 0)) {
                failScale(context, kind, scale,
                          fmt::format("extents up to those of the input {}", toText(data)));
            }
            continue;
        }
        int64_t const block =
            shape.blockShape.d[i] < 0 ? std::max<int64_t>(extent, 1) : shape.blockShape.d[i];
        if (scale.d[i] != (extent + block - 1) / block) {
            failScale(context, kind, scale,
                      fmt::format("one number for each block of {} elements of {}",
                                  toText(shape.blockShape), toText(data)));
        }
    }
}

} // namespace

bool isQuantized(DataType type) noexcept {
    return type == DataType::kINT8 || type == DataType::kUINT8 || type == DataType::kFP8 ||
           type == DataType::kINT4 || type == DataType::kFP4;
}

bool isScaleType(DataType type) noexcept {
    return isFloating(type) || type == DataType::kFP8 || type == DataType::kE8M0;
}

bool isWholeQuantized(DataType type) noexcept {
    return isQuantized(type) && type != DataType::kFP8 && type != DataType::kFP4;
}

Limits limitsOf(DataType type) {
    switch (type) {
    case DataType::kINT8: return {-128.0F, 127.0F};
    case DataType::kUINT8: return {0.0F, 255.0F};
    case DataType::kINT4: return {-8.0F, 7.0F};
    case DataType::kFP8: return {-448.0F, 448.0F};
    case DataType::kFP4: return {-6.0F, 6.0F};
    default: break;
    }
    fail(ErrorKind::kInternal,
         "[quantization] {} is no quantized type. Report this as a defect of Kiln.", nameOf(type));
}

std::string scaleShapeProblem(int32_t axis, Dims const& blockShape) {
    if (axis < -1 || axis >= Dims::MAX_DIMS) {
        return fmt::format("expected an axis of 0 .. 7, or -1 for none, got {}.", axis);
    }
    if (blockShape.nbDims < 0 || blockShape.nbDims > Dims::MAX_DIMS) {
        return fmt::format("expected a block shape of 0 to 8 extents, got {}.", blockShape.nbDims);
    }
    for (int32_t i = 0; i < blockShape.nbDims; ++i) {
        if (blockShape.d[i] < 1 && blockShape.d[i] != -1) {
            return fmt::format("expected extents of a block of 1 or more, or -1 for the whole "
                               "dimension, got {}.",
                               toText(blockShape));
        }
    }
    return {};
}

void checkScale(InferContext const& context, std::string_view kind, ScaleShape const& shape,
                DataType quantized) {
    TensorFacts const& data = context.inputs[0];
    TensorFacts const& scale = context.inputs[1];
    if (!isScaleType(scale.type)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, scale (input 1): expected float32, float16, bfloat16, fp8 or e8m0, got {}. Add a "
             "cast layer.",
             where(context, kind), nameOf(scale.type));
    }
    if (shape.blockShape.nbDims != 0 && shape.blockShape.nbDims != data.shape.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a block shape of the rank {} of the input, got {}.",
             where(context, kind), data.shape.rank, toText(shape.blockShape));
    }
    checkExtents(context, kind, shape);
    if (!context.has(2)) {
        return;
    }
    TensorFacts const& zero = context.inputs[2];
    Dims const scaleDims = knownDims(context.pool, scale.shape);
    Dims const zeroDims = knownDims(context.pool, zero.shape);
    bool const same = sameDims(scaleDims, zeroDims) || (isSingle(scaleDims) && isSingle(zeroDims));
    if (zero.type != quantized || !same) {
        fail(ErrorKind::kInvalidArgument,
             "{}, zero point (input 2): expected {} {}, got {} {}. Give it the quantized type and "
             "the extents of the scale.",
             where(context, kind), nameOf(quantized), toText(scaleDims), nameOf(zero.type),
             toText(zeroDims));
    }
}

int64_t ScaleBlocks::scaleOf(int64_t element) const noexcept {
    int64_t scale = 0;
    for (auto loop = static_cast<std::size_t>(rank); loop-- > 0;) {
        Loop const& at = loops[loop];
        scale += element % at.extent / at.block * at.stride;
        element /= at.extent;
    }
    return scale;
}

ScaleBlocks scaleBlocks(Dims const& data, Dims const& scale, ScaleShape const& shape) {
    ScaleBlocks result;
    bool const single = shape.blockShape.nbDims == 0 && isSingle(scale);
    bool const along = isAlongAxis(data, scale, shape);
    int64_t stride = 1; // of scales, from the inside
    std::array<ScaleBlocks::Loop, Dims::MAX_DIMS> loops{};
    for (int32_t i = data.nbDims; i-- > 0;) {
        int64_t const extent = data.d[i];
        int64_t const count = single ? 1 : along ? (i == shape.axis ? extent : 1) : scale.d[i];
        int64_t const block = count <= 1 ? extent
                              : shape.blockShape.nbDims > 0 && shape.blockShape.d[i] > 0
                                  ? shape.blockShape.d[i]
                                  : (extent + count - 1) / count;
        loops[static_cast<std::size_t>(i)] = {extent, block, count <= 1 ? 0 : stride};
        stride *= std::max<int64_t>(count, 1);
    }
    for (int32_t i = 0; i < data.nbDims; ++i) {
        ScaleBlocks::Loop const loop = loops[static_cast<std::size_t>(i)];
        if (loop.extent == 1) {
            continue;
        }
        if (result.rank > 0) {
            ScaleBlocks::Loop& outer = result.loops[static_cast<std::size_t>(result.rank - 1)];
            bool const repeats = outer.stride == 0 && loop.stride == 0;
            bool const dense = outer.block == 1 && loop.block == 1 && outer.stride != 0 &&
                               outer.stride == loop.stride * loop.extent;
            // Whole blocks of the inner loop follow each other.
            bool const follows = outer.block == 1 && loop.stride != 0 && loop.block > 0 &&
                                 loop.extent % loop.block == 0 &&
                                 outer.stride == loop.stride * (loop.extent / loop.block);
            if (follows && !dense) {
                outer = {outer.extent * loop.extent, loop.block, loop.stride};
                continue;
            }
            // All of the inner loop shares a scale: blocks of the outer one become longer.
            bool const inside = loop.stride == 0 && outer.stride != 0;
            if (repeats || dense || inside) {
                outer = {outer.extent * loop.extent, dense ? 1 : outer.block * loop.extent,
                         dense ? loop.stride : outer.stride};
                continue;
            }
        }
        result.loops[static_cast<std::size_t>(result.rank++)] = loop;
    }
    if (result.rank == 0) {
        result.rank = 1;
    }
    return result;
}

bool isBroadcastScale(Dims const& data, Dims const& scale, Dims const& blockShape) {
    if (data.nbDims != scale.nbDims) {
        return false;
    }
    for (int32_t i = 0; i < data.nbDims; ++i) {
        bool const whole = scale.d[i] == 1 && (blockShape.nbDims == 0 || blockShape.d[i] == -1 ||
                                               blockShape.d[i] >= data.d[i]);
        if (!whole && scale.d[i] != data.d[i]) {
            return false;
        }
    }
    return true;
}

} // namespace kiln::graph
