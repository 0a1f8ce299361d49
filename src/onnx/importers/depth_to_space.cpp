// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// DepthToSpace and SpaceToDepth: blocks of channels become blocks of pixels, and back.
// Layer: shuffle.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

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

    bool areKnown() const { // except the batch
        return std::all_of(dims.d + 1, dims.d + 4, [](int64_t extent) { return extent >= 0; });
    }
};

Blocks blocksOf(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    if (dims.nbDims != 4) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 0: expected batch, channels, height and width, got ", dims, "."));
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
    if (extent >= 0 && extent % factor != 0) {
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

// The orders of the six axes behind the split.
using Order = std::array<int32_t, 6>;
constexpr Order kToSpaceBlocksFirst{0, 3, 4, 1, 5, 2};
constexpr Order kToSpaceChannelsFirst{0, 1, 4, 2, 5, 3};
constexpr Order kToDepthBlocksFirst{0, 3, 5, 1, 2, 4};
constexpr Order kToDepthChannelsFirst{0, 1, 3, 5, 2, 4};

// The same for extents that are computed when the engine runs.
void rearrange(NodeContext& context, Term x, std::vector<Term> const& split, Order const& order,
               std::vector<Term> const& result) {
    Term const parts = x.reshaped(Term::joined(split, 0));
    Term const ordered = parts.transposed({order.begin(), order.end()});
    context.setOutput(0, ordered.reshaped(Term::joined(result, 0)).value());
}

void unknownDepthToSpace(NodeContext& context, int64_t side, bool blocksFirst) {
    Term const x = Term::input(context, 0);
    Term const n = x.extent(0);
    Term const block = Term::vector(context, {side});
    Term const channels = x.extent(1).floorDiv(block * block);
    Term const height = x.extent(2);
    Term const width = x.extent(3);
    std::vector<Term> const result{n, channels, height * block, width * block};
    if (blocksFirst) {
        rearrange(context, x, {n, block, block, channels, height, width}, kToSpaceBlocksFirst,
                  result);
    } else {
        rearrange(context, x, {n, channels, block, block, height, width}, kToSpaceChannelsFirst,
                  result);
    }
}

void unknownSpaceToDepth(NodeContext& context, int64_t side, bool blocksFirst) {
    Term const x = Term::input(context, 0);
    Term const n = x.extent(0);
    Term const block = Term::vector(context, {side});
    Term const channels = x.extent(1);
    Term const height = x.extent(2).floorDiv(block);
    Term const width = x.extent(3).floorDiv(block);
    rearrange(context, x, {n, channels, height, block, width, block},
              blocksFirst ? kToDepthBlocksFirst : kToDepthChannelsFirst,
              {n, channels * block * block, height, width});
}

void importDepthToSpace(NodeContext& context) {
    Blocks const blocks = blocksOf(context);
    auto const& [dims, side, blocksFirst] = blocks;
    int64_t const area = productOf(side, side, "blocksize");
    expectMultiple(context, "channels", dims.d[1], area);
    if (!blocks.areKnown()) {
        unknownDepthToSpace(context, side, blocksFirst);
        return;
    }
    int64_t const channels = dims.d[1] / area;
    std::array<int64_t, 4> const result{dims.d[0], channels, productOf(dims.d[2], side, "height"),
                                        productOf(dims.d[3], side, "width")};
    if (blocksFirst) {
        rearrange(context, {dims.d[0], side, side, channels, dims.d[2], dims.d[3]},
                  kToSpaceBlocksFirst, result);
    } else {
        rearrange(context, {dims.d[0], channels, side, side, dims.d[2], dims.d[3]},
                  kToSpaceChannelsFirst, result);
    }
}

void importSpaceToDepth(NodeContext& context) {
    Blocks const blocks = blocksOf(context);
    auto const& [dims, side, blocksFirst] = blocks;
    expectMultiple(context, "height", dims.d[2], side);
    expectMultiple(context, "width", dims.d[3], side);
    if (!blocks.areKnown()) {
        unknownSpaceToDepth(context, side, blocksFirst);
        return;
    }
    int64_t const channels = productOf(dims.d[1], productOf(side, side, "blocksize"), "channels");
    rearrange(context, {dims.d[0], dims.d[1], dims.d[2] / side, side, dims.d[3] / side, side},
              blocksFirst ? kToDepthBlocksFirst : kToDepthChannelsFirst,
              {dims.d[0], channels, dims.d[2] / side, dims.d[3] / side});
}

} // namespace

void registerImporter_depth_to_space(ImporterRegistry& registry) {
    registry.add("DepthToSpace", importDepthToSpace);
    registry.add("SpaceToDepth", importSpaceToDepth);
}

} // namespace kiln::onnx
