// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/roi_align.h"

#include <cmath>

#include "graph/op_registry.h"

namespace kiln::graph {

std::string RoiAlign::problem() const {
    constexpr int64_t kMost = 1 << 20;
    if (params.height < 1 || params.height > kMost || params.width < 1 || params.width > kMost) {
        return fmt::format("expected an output of 1 to {} rows and columns, got {} and {}.", kMost,
                           params.height, params.width);
    }
    constexpr int32_t kMostSamples = 1 << 16;
    if (params.samplingRatio < 0 || params.samplingRatio > kMostSamples) {
        return fmt::format("expected a sampling ratio from 0 to {}, got {}.", kMostSamples,
                           params.samplingRatio);
    }
    auto const number = static_cast<int32_t>(params.pooling);
    if (number < 0 || number > static_cast<int32_t>(RoiPooling::kBINS)) {
        return fmt::format("expected a member of RoiPooling, got {}.", number);
    }
    return std::isfinite(params.scale)
               ? std::string()
               : fmt::format("expected a finite scale, got {}.", params.scale);
}

void RoiAlign::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 3);
    ExprPool& pool = context.pool;
    ShapeExpr const& images = context.inputs[kImages].shape;
    ShapeExpr const& boxes = context.inputs[kBoxes].shape;
    ShapeExpr const& batch = context.inputs[kBatch].shape;
    TensorFacts& output = context.outputs[0];
    output.type = expectFloating(context, kKind);
    DataType const ofBoxes = context.inputs[kBoxes].type;
    DataType const ofBatch = context.inputs[kBatch].type;
    if (!isFloating(ofBoxes) || (ofBatch != DataType::kINT32 && ofBatch != DataType::kINT64)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected boxes of float32, float16 or bfloat16 and their images of int32 or "
             "int64, got {} and {}. Cast them.",
             where(context, kKind), nameOf(ofBoxes), nameOf(ofBatch));
    }
    constexpr int64_t kCoordinates = 4;
    int64_t const given = boxes.rank == 2 ? pool.constantOr(boxes[1], kCoordinates) : -1;
    if (images.rank != 4 || given != kCoordinates || batch.rank != 1) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected images [batch, channels, height, width], boxes [boxes, 4] and the image "
             "of each [boxes], got {}, {} and {}. Reshape them.",
             where(context, kKind), toText(knownDims(pool, images)), toText(knownDims(pool, boxes)),
             toText(knownDims(pool, batch)));
    }
    int64_t const known = pool.constantOr(boxes[0]);
    int64_t const named = pool.constantOr(batch[0]);
    if (known >= 0 && named >= 0 && known != named) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an image for each of {} boxes, got {}. Pass as many.",
             where(context, kKind), known, named);
    }
    output.shape.rank = 4;
    output.shape[0] = known >= 0 ? boxes[0] : batch[0];
    output.shape[1] = images[1];
    output.shape[2] = pool.constant(params.height);
    output.shape[3] = pool.constant(params.width);
}

void registerOp_roi_align(OpRegistry& registry) {
    registry.add(RoiAlign::kKind, &RoiAlign::load);
}

} // namespace kiln::graph
