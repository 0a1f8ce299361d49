// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// DepthToSpace and SpaceToDepth: blocks of channels become blocks of pixels, and back. Known
// extents except the batch.
// Layer: shuffle. Extents are known except the batch.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <array>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

struct Blocks {
    Dims dims; // of the input: [batch, channels, height, width]
    int64_t side;
    bool blocksFirst; // DCR: the place in a block varies slower than the channel
};

Blocks blocksOf(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    if (dims.nbDims != 4 || std::any_of(dims.d + 1, dims.d + 4, [](int64_t d) { return d < 0; })) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 0: expected batch, channels, height and width, known except the "
                          "batch, got ",
                          dims, "."));
    }
    int64_t const side = context.attributes().integer("blocksize", 0);
    if (side < 1 || side > kFarthest) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'blocksize': expected 1 or more, got ", side, "."));
    }
    std::string const mode = context.attributes().string("mode", "DCR");
    if (mode != "DCR" && mode != "CRD") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'mode': expected DCR or CRD, got '", mode, "'."));
    }
    return {dims, side, mode == "DCR"};
}

void expectMultiple(NodeContext& context, char const* what, int64_t extent, int64_t factor) {
    if (extent % factor != 0) {
        context.fail(ErrorCode::kINVALID_NODE, text("input 0: expected a multiple of ", factor,
                                                    " as ", what, ", got ", extent, "."));
    }
}

// Reshapes to six dimensions, transposes and reshapes to four.
void rearrange(NodeContext& context, std::array<int64_t, 6> const& split,
               std::array<int32_t, 6> const& order, std::array<int64_t, 4> const& result) {
    auto& layer = context.named(context.network().addShuffle(context.tensor(0)), "split");
    layer.setZeroIsPlaceholder(false);
    layer.setReshapeDimensions(toDims(split, "output"));
    nvinfer1::Permutation permutation{};
    std::copy(order.begin(), order.end(), permutation.order);
    layer.setSecondTranspose(permutation);
    ITensor& joined = reshape(context, *layer.getOutput(0), toDims(result, "output"), false);
    context.setOutput(0, Value(joined));
}

void importDepthToSpace(NodeContext& context) {
    auto const [dims, side, blocksFirst] = blocksOf(context);
    int64_t const area = productOf(side, side, "blocksize");
    expectMultiple(context, "channels", dims.d[1], area);
    int64_t const channels = dims.d[1] / area;
    std::array<int64_t, 4> const result{dims.d[0], channels, productOf(dims.d[2], side, "height"),
                                        productOf(dims.d[3], side, "width")};
    if (blocksFirst) {
        rearrange(context, {dims.d[0], side, side, channels, dims.d[2], dims.d[3]},
                  {0, 3, 4, 1, 5, 2}, result);
    } else {
        rearrange(context, {dims.d[0], channels, side, side, dims.d[2], dims.d[3]},
                  {0, 1, 4, 2, 5, 3}, result);
    }
}

void importSpaceToDepth(NodeContext& context) {
    auto const [dims, side, blocksFirst] = blocksOf(context);
    expectMultiple(context, "height", dims.d[2], side);
    expectMultiple(context, "width", dims.d[3], side);
    int64_t const channels = productOf(dims.d[1], productOf(side, side, "blocksize"), "channels");
    constexpr std::array<int32_t, 6> kBlocksFirst{0, 3, 5, 1, 2, 4};
    constexpr std::array<int32_t, 6> kChannelsFirst{0, 1, 3, 5, 2, 4};
    rearrange(context, {dims.d[0], dims.d[1], dims.d[2] / side, side, dims.d[3] / side, side},
              blocksFirst ? kBlocksFirst : kChannelsFirst,
              {dims.d[0], channels, dims.d[2] / side, dims.d[3] / side});
}

} // namespace

void registerImporter_depth_to_space(ImporterRegistry& registry) {
    registry.add("DepthToSpace", importDepthToSpace);
    registry.add("SpaceToDepth", importSpaceToDepth);
}

} // namespace kiln::onnx
