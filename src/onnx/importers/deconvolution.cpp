// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// ConvTranspose over one to three spatial axes.
//   X: [batch, channels, spatial...], W: [channels, maps / group, kernel...], B: [maps]
// Layer: deconvolution. 1-D to 3-D.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/window_attributes.h"

#include "onnx/element_type.h"

#include <algorithm>
#include <cstring>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::PaddingMode;
using nvinfer1::Weights;

namespace {

// Padding at the end may be negative until extendKernel().
void applyOutputShape(NodeContext& context, Windows& windows) {
    auto const rank = static_cast<size_t>(windows.extents.nbDims);
    auto const added =
        context.attributes().integers("output_padding", std::vector<int64_t>(rank, 0));
    auto const wanted = context.attributes().integers("output_shape", {});
    bool const computed = windows.mode != PaddingMode::kEXPLICIT_ROUND_DOWN;
    Dims const input = context.dims(context.input(0));
    if (added.size() != rank || (!wanted.empty() && wanted.size() != rank)) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attributes 'output_padding' and 'output_shape': expected ", rank,
                          " values, got ", added, " and ", wanted, "."));
    }
    for (size_t i = 0; i < rank; ++i) {
        int64_t const extent = input.d[2 + i];
        int64_t const extra = std::clamp<int64_t>(added[i], 0, kFarthest);
        if (wanted.empty() && !computed) {
            windows.after.d[i] -= extra;
            continue;
        }
        if (extent < 0) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                         text("attributes 'output_shape' and 'auto_pad': expected known spatial "
                              "extents, got ",
                              input, "."));
        }
        int64_t const span =
            1 + productOf(windows.dilations.d[i], windows.extents.d[i] - 1, "kernel");
        int64_t const full =
            sumOf(productOf(windows.strides.d[i], extent - 1, "output"), span + extra, "output");
        int64_t const output = wanted.empty() ? productOf(windows.strides.d[i], extent, "output")
                                              : std::clamp<int64_t>(wanted[i], 0, kFarthest);
        int64_t const total = full - output;
        int64_t const less = total / 2;
        bool const upper = windows.mode == PaddingMode::kSAME_UPPER;
        windows.before.d[i] = total < 0 ? 0 : upper ? less : total - less;
        windows.after.d[i] = total - windows.before.d[i] - extra;
    }
    windows.mode = PaddingMode::kEXPLICIT_ROUND_DOWN;
}

// Negative padding at the end adds elements that no input reaches. Zeros behind the kernel reach
// them. Sets the padding to 0.
Weights extendKernel(NodeContext& context, Constant const& kernel, Windows& windows) {
    int32_t const rank = windows.extents.nbDims;
    Dims const old = windows.extents;
    std::vector<int64_t> extents(old.d, old.d + rank);
    bool grows = false;
    for (int32_t i = 0; i < rank; ++i) {
        int64_t const missing = std::max<int64_t>(-windows.after.d[i], 0);
        grows = grows || missing > 0;
        extents[static_cast<size_t>(i)] += missing;
        windows.after.d[i] += missing;
        constexpr int64_t kMost = 16; // keeps the kernel of a hostile model small
        if (missing > 0 && (windows.dilations.d[i] != 1 || missing > kMost)) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         text("attribute 'output_padding': expected at most ", kMost,
                              " elements beyond the padding, without dilation, got ", missing,
                              " and dilations ", windows.dilations, "."));
        }
    }
    if (!grows) {
        return kernel.weights;
    }
    windows.extents = toDims(extents, "kernel");
    auto const bytes = static_cast<size_t>(bitsOf(kernel.weights.type) / 8);
    int64_t const rows = productOf({old.d, static_cast<size_t>(rank - 1)}, "kernel");
    int64_t const planes = productOf(kernel.dims.d[0], kernel.dims.d[1], "kernel");
    int64_t const count = productOf(planes, productOf(extents, "kernel"), "kernel");
    std::byte* const values = context.tensors().store.allocate(static_cast<size_t>(count) * bytes);
    std::memset(values, 0, static_cast<size_t>(count) * bytes);
    auto const* from = static_cast<std::byte const*>(kernel.weights.values);
    auto const row = static_cast<size_t>(old.d[rank - 1]) * bytes;
    for (int64_t plane = 0; plane < planes; ++plane) {
        for (int64_t i = 0; i < rows; ++i) {
            int64_t const z = rank == 3 ? i / old.d[1] : 0;
            int64_t const y = rank == 3 ? i % old.d[1] : i;
            int64_t const height = rank == 1 ? 1 : extents[static_cast<size_t>(rank - 2)];
            int64_t const depth = rank == 3 ? extents[0] : 1;
            int64_t const at = ((plane * depth + z) * height + y) * extents.back();
            std::memcpy(values + static_cast<size_t>(at) * bytes, from, row);
            from += row;
        }
    }
    return {kernel.weights.type, values, count};
}

// The same for weights that are computed: zeros behind them.
nvinfer1::ITensor& extendedTensor(NodeContext& context, Windows& windows) {
    Term const weights = Term::input(context, 1);
    std::vector<int64_t> missing{0, 0};
    bool grows = false;
    for (int32_t i = 0; i < windows.extents.nbDims; ++i) {
        int64_t const more = std::max<int64_t>(-windows.after.d[i], 0);
        if (more > 0 && windows.dilations.d[i] != 1) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         "attribute 'output_padding': expected no dilation for weights that are "
                         "computed.");
        }
        grows = grows || more > 0;
        missing.push_back(more);
        windows.after.d[i] += more;
        windows.extents.d[i] += more;
    }
    if (!grows) {
        return weights.tensor();
    }
    Axes const all = axesBetween(0, weights.rank());
    Term const starts = Term::vector(context, std::vector<int64_t>(all.size(), 0));
    Term const size = weights.shape() + Term::vector(context, missing);
    return weights.sliced(all, starts, size, nvinfer1::SampleMode::kFILL).tensor();
}

void importConvTranspose(NodeContext& context) {
    int32_t const spatialRank = spatialRankOf(context);
    Value& given = context.input(1);
    bool const known = given.isConstant;
    Constant const kernel =
        known ? context.constant(1, "weights")
              : Constant{context.dims(given), {NodeContext::typeOf(given), nullptr, 0}};
    if (std::count(kernel.dims.d, kernel.dims.d + kernel.dims.nbDims, -1) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                     text("input 1 (weights): expected known extents, got ", kernel.dims, "."));
    }
    int64_t const groups = context.attributes().integer("group", 1);
    if (kernel.dims.nbDims != spatialRank + 2 || groups < 1) {
        context.fail(ErrorCode::kINVALID_NODE, text("input 1 (weights): expected ", spatialRank + 2,
                                                    " dimensions for 1 or more groups, got ",
                                                    kernel.dims, " and ", groups, "."));
    }
    int64_t const maps = productOf(kernel.dims.d[1], groups, "maps");
    Dims const extents =
        toDims({kernel.dims.d + 2, static_cast<size_t>(spatialRank)}, "input 1 (weights)");
    Windows windows = readWindows(context, spatialRank, &extents);
    applyOutputShape(context, windows);
    Weights weights = kernel.weights;
    nvinfer1::ITensor* computed = nullptr;
    if (known) {
        weights = extendKernel(context, kernel, windows);
    } else {
        computed = &extendedTensor(context, windows);
    }
    Weights bias{kernel.weights.type, nullptr, 0};
    bool const biasIsKnown = context.hasInput(2) && context.input(2).isConstant;
    if (biasIsKnown) {
        bias = context.constant(2, "bias").weights;
    }
    auto& layer = context.named(context.network().addDeconvolutionNd(
        context.tensor(0), maps, windows.extents, weights, bias));
    applyWindows(layer, windows);
    layer.setDilationNd(windows.dilations);
    layer.setNbGroups(groups);
    if (computed != nullptr) {
        layer.setInput(1, *computed);
    }
    if (context.hasInput(2) && !biasIsKnown) {
        layer.setInput(2, *context.input(2).tensor);
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_deconvolution(ImporterRegistry& registry) {
    registry.add("ConvTranspose", importConvTranspose);
}

} // namespace kiln::onnx
