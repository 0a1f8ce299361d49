// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Col2Im: sums blocks of columns where they lie in an image.
//   input: [batch, channels * block, blocks], result: [batch, channels, image...]
// A transposed convolution of one plane whose weights put element i of a block at place i; or, for
// other types, more axes and block shapes that are computed, a scatter that adds.
// Layer: deconvolution or scatter. 1-D to 4-D.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <kiln/extra_layers.h>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::SampleMode;

namespace {

struct ImageBlocks {
    int32_t rank;
    std::vector<int64_t> extents; // empty: computed
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> before;
    std::vector<int64_t> after;
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
    constexpr int64_t kMostAxes = 4;
    Dims const given = context.dims(context.input(2));
    if (given.nbDims != 1 || given.d[0] < 1 || given.d[0] > kMostAxes) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 2 (block_shape): expected 1 to ", kMostAxes,
                          " numbers, got a tensor ", given, "."));
    }
    ImageBlocks blocks{};
    blocks.rank = static_cast<int32_t>(given.d[0]);
    auto const rank = static_cast<size_t>(blocks.rank);
    if (context.isKnown(2)) {
        blocks.extents = context.integers(2, "block_shape", kMostAxes);
        for (int64_t const extent : blocks.extents) {
            if (extent < 1 || extent > kFarthest) {
                context.fail(ErrorCode::kINVALID_NODE,
                             text("input 2 (block_shape): expected positive numbers, got ",
                                  blocks.extents, "."));
            }
        }
    }
    blocks.strides = numbersOf(context, "strides", rank, 1);
    blocks.dilations = numbersOf(context, "dilations", rank, 1);
    std::vector<int64_t> const pads = numbersOf(context, "pads", 2 * rank, 0);
    blocks.before.assign(pads.begin(), pads.begin() + blocks.rank);
    blocks.after.assign(pads.begin() + blocks.rank, pads.end());
    return blocks;
}

// Whether weights for a deconvolution are small, also compared with the node.
bool isConvolved(ImageBlocks const& blocks, Term x) {
    constexpr int64_t kMostAxes = 3;
    constexpr int64_t kMostElements = 64;
    return isReal(x.type()) && !blocks.extents.empty() && blocks.rank <= kMostAxes &&
           productOf(blocks.extents, "block_shape") <= kMostElements;
}

// What the formulas read: INT64 vectors.
struct ImageExtents {
    Term image;
    Term block;
    Term counts;   // blocks along each axis
    Term elements; // of a block
    Term batch;
    Term channels;
};

ImageExtents extentsOf(ImageBlocks const& blocks, NodeContext& context) {
    Term const x = Term::input(context, 0);
    ImageExtents result;
    result.image = Term::input(context, 1).cast(DataType::kINT64);
    result.block = Term::input(context, 2).cast(DataType::kINT64);
    std::vector<int64_t> pads;
    for (size_t i = 0; i < blocks.before.size(); ++i) {
        pads.push_back(blocks.before[i] + blocks.after[i] - 1);
    }
    Term const reach = (result.block - 1.0) * Term::vector(context, blocks.dilations);
    Term const room = result.image + Term::vector(context, pads) - reach;
    Term const steps = room.floorDiv(Term::vector(context, blocks.strides));
    result.counts = (steps + 1.0).max(0.0);
    result.elements = result.block.product({0});
    result.batch = x.extent(0);
    result.channels = x.extent(1).floorDiv(result.elements);
    return result;
}

// The image as [batch * channels, 1, image...], by a deconvolution.
Term convolved(ImageBlocks const& blocks, ImageExtents const& extents, Term x) {
    NodeContext& context = x.context();
    int64_t const elements = productOf(blocks.extents, "block_shape");
    std::vector<double> weights(static_cast<size_t>(elements * elements), 0.0);
    for (int64_t i = 0; i < elements; ++i) {
        weights[static_cast<size_t>(i * elements + i)] = 1.0;
    }
    std::vector<int64_t> dims{elements, 1};
    dims.insert(dims.end(), blocks.extents.begin(), blocks.extents.end());
    Term const columns = x.reshaped(Term::joined(
        {extents.batch * extents.channels, Term::vector(context, {elements}), extents.counts}, 0));
    nvinfer1::Weights const none{x.type(), nullptr, 0};
    auto* layer = context.network().addDeconvolutionNd(
        columns.tensor(), 1, toDims(blocks.extents, "block_shape"), none, none);
    Term const whole = x.of(layer);
    layer->setInput(1,
                    Term::constant(context, weights, toDims(dims, "weights"), x.type()).tensor());
    layer->setStrideNd(toDims(blocks.strides, "strides"));
    layer->setDilationNd(toDims(blocks.dilations, "dilations"));
    // What lies in the padding is cut off; elements that no block covers are 0.
    return whole.sliced(axesBetween(2, 2 + blocks.rank), Term::vector(context, blocks.before),
                        extents.image, SampleMode::kFILL);
}

// Where each element of each block is in the flattened image, [block..., blocks...]; behind the
// image for elements in the padding.
Term placesOf(ImageBlocks const& blocks, ImageExtents const& extents) {
    Term place;
    Term inside;
    for (int32_t i = 0; i < blocks.rank; ++i) {
        auto const axis = static_cast<size_t>(i);
        auto const along = [&](Term count, int32_t own) {
            Axes others = axesBetween(0, 2 * blocks.rank);
            others.erase(others.begin() + own);
            return Term::range(count.sliced(0, i, 1)).inserted(others);
        };
        auto const number = [](int64_t value) { return static_cast<double>(value); };
        Term const at = along(extents.block, i) * number(blocks.dilations[axis]) +
                        along(extents.counts, blocks.rank + i) * number(blocks.strides[axis]) -
                        number(blocks.before[axis]);
        Term const size = extents.image.sliced(0, i, 1);
        Term const valid = at >= 0.0 && at < size;
        place = i == 0 ? at : place * size + at;
        inside = i == 0 ? valid : inside && valid;
    }
    return inside.choose(place, extents.image.product({0}));
}

// The image as [batch * channels, elements], by sums at indices.
Term scattered(ImageBlocks const& blocks, ImageExtents const& extents, Term x) {
    NodeContext& context = x.context();
    Term const planes = extents.batch * extents.channels;
    Term const count = extents.elements * extents.counts.product({0});
    Term const zeros = x.like(0).expanded(Term::joined({extents.image.product({0}), planes}, 0));
    Term const updates = x.reshaped(Term::joined({planes, count}, 0)).swapped(0, 1);
    Term const indices = placesOf(blocks, extents).reshaped(std::vector<int64_t>{-1, 1});
    auto* layer = context.network().addScatter(zeros.tensor(), indices.tensor(), updates.tensor(),
                                               nvinfer1::ScatterMode::kND);
    Term const sums = x.of(layer);
    setScatterReduction(*layer, ScatterReduction::kSUM);
    return sums.swapped(0, 1);
}

void importCol2Im(NodeContext& context) {
    Term const x = Term::input(context, 0);
    if (x.rank() != 3) {
        context.fail(
            ErrorCode::kINVALID_NODE,
            text("input 0: expected [batch, channels * block, blocks], got ", x.dims(), "."));
    }
    ImageBlocks const blocks = readBlocks(context);
    ImageExtents const extents = extentsOf(blocks, context);
    Term const result =
        isConvolved(blocks, x) ? convolved(blocks, extents, x) : scattered(blocks, extents, x);
    Term const shape = Term::joined({extents.batch, extents.channels, extents.image}, 0);
    context.setOutput(0, result.reshaped(shape).value());
}

} // namespace

void registerImporter_col2im(ImporterRegistry& registry) {
    registry.add("Col2Im", importCol2Im);
}

} // namespace kiln::onnx
