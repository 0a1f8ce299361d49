// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Col2Im: sums blocks of columns where they lie in an image.
//   input: [batch, channels * block, blocks], result: [batch, channels, image...]
// A transposed convolution of one plane whose weights put element i of a block at place i.
// Layer: deconvolution. 1-D to 3-D, floating-point; a known block shape of 1,024 elements at most.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::SampleMode;

namespace {

struct ImageBlocks {
    int32_t rank;
    std::vector<int64_t> extents;
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> before;
    std::vector<int64_t> after;
    int64_t count; // elements of a block
};

std::vector<int64_t> numbersOf(NodeContext& context, char const* name, size_t count,
                               int64_t lowest) {
    std::vector<int64_t> const result =
        context.attributes().integers(name, std::vector<int64_t>(count, lowest));
    bool valid = result.size() == count;
    for (int64_t const value : result) {
        valid = valid && value >= lowest && value < (int64_t{1} << 31);
    }
    if (!valid) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute '", name, "': expected ", count, " numbers from ", lowest,
                          " on, got ", result, "."));
    }
    return result;
}

ImageBlocks readBlocks(NodeContext& context) {
    constexpr int64_t kMostAxes = 3;
    constexpr int64_t kMostElements = 1024;
    ImageBlocks blocks{};
    blocks.extents = context.integers(2, "block_shape", Dims::MAX_DIMS);
    size_t const rank = blocks.extents.size();
    int64_t least = 1;
    for (int64_t const extent : blocks.extents) {
        least = std::min(least, extent);
    }
    blocks.count = least < 1 ? 0 : productOf(blocks.extents, "block_shape");
    if (rank < 1 || rank > kMostAxes || blocks.count < 1 || blocks.count > kMostElements) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 2 (block_shape): expected 1 to ", kMostAxes,
                          " positive numbers whose product is at most ", kMostElements, ", got ",
                          blocks.extents, "."));
    }
    blocks.rank = static_cast<int32_t>(rank);
    blocks.strides = numbersOf(context, "strides", rank, 1);
    blocks.dilations = numbersOf(context, "dilations", rank, 1);
    std::vector<int64_t> const pads = numbersOf(context, "pads", 2 * rank, 0);
    blocks.before.assign(pads.begin(), pads.begin() + blocks.rank);
    blocks.after.assign(pads.begin() + blocks.rank, pads.end());
    return blocks;
}

// How many blocks lie along each axis of the image.
Term blockCounts(ImageBlocks const& blocks, Term image) {
    NodeContext& context = image.context();
    std::vector<int64_t> room;
    for (size_t i = 0; i < blocks.extents.size(); ++i) {
        int64_t const span = blocks.dilations[i] * (blocks.extents[i] - 1) + 1;
        room.push_back(blocks.before[i] + blocks.after[i] - span);
    }
    return (image + Term::vector(context, room)).floorDiv(Term::vector(context, blocks.strides)) +
           1.0;
}

// Weights [block, 1, block shape...].
Term placingWeights(ImageBlocks const& blocks, Term x) {
    std::vector<double> weights(static_cast<size_t>(blocks.count * blocks.count), 0.0);
    for (int64_t i = 0; i < blocks.count; ++i) {
        weights[static_cast<size_t>(i * blocks.count + i)] = 1.0;
    }
    std::vector<int64_t> dims{blocks.count, 1};
    dims.insert(dims.end(), blocks.extents.begin(), blocks.extents.end());
    return Term::constant(x.context(), weights, toDims(dims, "weights"), x.type());
}

void importCol2Im(NodeContext& context) {
    Term const x = Term::input(context, 0);
    ImageBlocks const blocks = readBlocks(context);
    if (!isReal(x.type()) || x.rank() != 3) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                     text("input 0: expected floating-point numbers of rank 3, got ", x.type(),
                          " of ", x.dims(), ". Cast them."));
    }
    Term const image = Term::input(context, 1).cast(nvinfer1::DataType::kINT64);
    auto const number = [&](int64_t value) { return Term::vector(context, {value}); };
    Term const channels = x.extent(1).floorDiv(number(blocks.count));
    Term const planes = x.extent(0) * channels;
    Term const columns =
        x.reshaped(Term::joined({planes, number(blocks.count), blockCounts(blocks, image)}, 0));
    nvinfer1::Weights const none{x.type(), nullptr, 0};
    auto* layer = context.network().addDeconvolutionNd(
        columns.tensor(), 1, toDims(blocks.extents, "block_shape"), none, none);
    Term const whole = x.of(layer);
    layer->setInput(1, placingWeights(blocks, x).tensor());
    layer->setStrideNd(toDims(blocks.strides, "strides"));
    layer->setDilationNd(toDims(blocks.dilations, "dilations"));
    // What lies in the padding is cut off; elements that no block covers are 0.
    Term const cut = whole.sliced(axesBetween(2, 2 + blocks.rank),
                                  Term::vector(context, blocks.before), image, SampleMode::kFILL);
    context.setOutput(0, cut.reshaped(Term::joined({x.extent(0), channels, image}, 0)).value());
}

} // namespace

void registerImporter_col2im(ImporterRegistry& registry) {
    registry.add("Col2Im", importCol2Im);
}

} // namespace kiln::onnx
