// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CumProd: running products along a known extent, by products with the elements 1, 2, 4, ... places
// before; along another one, a loop over the slices.
// Layer: slice and elementwise, or loop where the extent is unknown.

#include "onnx/computed_axes.h"
#include "onnx/control_flow.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// One pass for each slice.
Term productsByLoop(NodeContext& context, Term x, int32_t axis) {
    using nvinfer1::LoopOutput;
    bool const reverse = context.attributes().flag("reverse", false);
    bool const exclusive = context.attributes().flag("exclusive", false);
    Axes others = axesBetween(0, x.rank());
    others.erase(others.begin() + axis);
    std::string const name = context.nextName();
    LoopBuilder builder(context);
    Term const length = x.extent(axis).removed({0});
    builder.limit(length.tensor(), nvinfer1::TripLimit::kCOUNT);
    Value ones = x.like(1).expanded(x.extents(others)).value();
    auto& product = builder.carry(ones, name + "/product");
    auto& slices =
        context.named(builder.loop().addIterator(x.tensor(), axis, reverse), name + "/slices");
    Term const before(context, *product.getOutput(0));
    Term const after = before * Term(context, *slices.getOutput(0));
    Value next = after.value();
    builder.setNext(product, next, name + "/product");
    Value stacked = exclusive ? before.value() : next;
    auto const kind = reverse ? LoopOutput::kREVERSE : LoopOutput::kCONCATENATE;
    return {context,
            *builder.stack(stacked, kind, axis, length.tensor(), name + "/products").tensor};
}

Term products(NodeContext& context, Term x, int32_t axis) {
    auto& attributes = context.attributes();
    int64_t const extent = x.dims().d[axis];
    if (extent < 0) {
        return productsByLoop(context, x, axis);
    }
    bool const reverse = attributes.flag("reverse", false);
    Term const count = Term::vector(context, {extent});
    // The elements `places` before, and ones in front of the first.
    auto const shifted = [&](Term term, int64_t places) {
        Dims const one{1, {1}};
        auto* layer = context.network().addSlice(term.tensor(), Dims{1, {-places}}, one, one);
        Term const result = term.of(layer);
        layer->setAxes(Dims{1, {axis}});
        layer->setMode(nvinfer1::SampleMode::kFILL);
        layer->setInput(2, count.tensor());
        layer->setInput(4, term.like(1).tensor());
        return result;
    };
    Term result = reverse ? x.reversed(axis) : x;
    result = attributes.flag("exclusive", false) ? shifted(result, 1) : result;
    for (int64_t places = 1; places < extent; places *= 2) {
        result = result * shifted(result, places);
    }
    return reverse ? result.reversed(axis) : result * 1.0;
}

void importCumProd(NodeContext& context) {
    Term const x = Term::input(context, 0);
    if (!context.isKnown(1)) {
        auto const along = [&](Term data, int32_t axis) { return products(context, data, axis); };
        context.setOutput(0, atComputedAxis(context, 1, x, along).value());
        return;
    }
    auto const given = context.integers(1, "axis", 1);
    int32_t const axis = toAxis(given.empty() ? 0 : given[0], x.rank());
    context.setOutput(0, products(context, x, axis).value());
}

} // namespace

void registerImporter_cumulative_product(ImporterRegistry& registry) {
    registry.add("CumProd", importCumProd);
}

} // namespace kiln::onnx
