// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// UnfoldTensor of com.microsoft: all slices of one length along an axis. Their elements become the
// last axis.
// Layer: gather.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

namespace {

void importUnfold(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    int32_t const axis = toAxis(attributes.integer("dim", -1), x.rank());
    int64_t const size = attributes.integer("size", 0);
    int64_t const step = attributes.integer("step", 1);
    if (size < 1 || size >= kFarthest || step < 1 || step >= kFarthest) {
        context.fail(ErrorCode::kINVALID_NODE, text("expected a size and a step of 1 or more, got ",
                                                    size, " and ", step, "."));
    }
    auto const places = static_cast<double>(step);
    Term const count = (x.extent(axis) - static_cast<double>(size)).floorDiv(places) + 1;
    Term const starts = Term::range(count) * places;
    Term const at = starts.inserted({1}) + Term::range(Term::vector(context, {size})).inserted({0});
    Term const slices = x.gathered(at, axis); // the slices' elements are behind their number
    Axes order = axesBetween(0, slices.rank());
    order.erase(order.begin() + axis + 1);
    order.push_back(axis + 1);
    context.setOutput(0, slices.transposed(order).value());
}

} // namespace

void registerImporter_unfold(ImporterRegistry& registry) {
    registry.add("com.microsoft", "UnfoldTensor", importUnfold);
}

} // namespace kiln::onnx
