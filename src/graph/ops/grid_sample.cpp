// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/grid_sample.h"

#include "graph/op_registry.h"

namespace kiln::graph {

using nvinfer1::SampleMode;

std::string GridSample::problem() const {
    if (std::string text = enumProblem(interpolation, "InterpolationMode"); !text.empty()) {
        return text;
    }
    if (std::string text = enumProblem(mode, "SampleMode"); !text.empty()) {
        return text;
    }
    return mode == SampleMode::kFILL || mode == SampleMode::kCLAMP || mode == SampleMode::kREFLECT
               ? std::string()
               : fmt::format("expected sample mode FILL, CLAMP or REFLECT, got {}.",
                             mode == SampleMode::kWRAP ? "WRAP" : "STRICT_BOUNDS");
}

void GridSample::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    context.outputs[0].type = expectFloating(context, kKind);
    if (!isFloating(context.inputs[1].type)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a grid of float32, float16 or bfloat16, got {}. Cast it.",
             where(context, kKind), nameOf(context.inputs[1].type));
    }
    ExprPool& pool = context.pool;
    ShapeExpr const& image = context.inputs[0].shape;
    ShapeExpr const& grid = context.inputs[1].shape;
    constexpr int32_t kRank = 4;
    int64_t const coordinates =
        grid.rank == kRank ? pool.constantOr(grid[kRank - 1], -1) : int64_t{0};
    if (image.rank != kRank || (coordinates >= 0 && coordinates != 2)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected images of rank 4 and a grid [batch, height, width, 2], got {} and {}. "
             "Reshape them.",
             where(context, kKind), toText(knownDims(pool, image)), toText(knownDims(pool, grid)));
    }
    int64_t const images = pool.constantOr(image[0]);
    int64_t const grids = pool.constantOr(grid[0]);
    if (images >= 0 && grids >= 0 && images != grids) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a grid for each of {} images, got {}. Pass as many.",
             where(context, kKind), images, grids);
    }
    for (int32_t axis = 2; axis < kRank; ++axis) {
        if (pool.constantOr(image[axis]) == 0 && mode != SampleMode::kFILL) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected images with elements in this sample mode, got {}. Use FILL.",
                 where(context, kKind), toText(knownDims(pool, image)));
        }
    }
    ShapeExpr& output = context.outputs[0].shape;
    output.rank = kRank;
    output[0] = image[0];
    output[1] = image[1];
    output[2] = grid[1];
    output[3] = grid[2];
}

void registerOp_grid_sample(OpRegistry& registry) {
    registry.add(GridSample::kKind, &GridSample::load);
}

} // namespace kiln::graph
