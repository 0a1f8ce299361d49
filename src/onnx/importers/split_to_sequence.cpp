// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// SplitToSequence: a list of parts that exists while the model is parsed. The slices of an unknown
// extent are one tensor of all of them, a stack.
// Layer: slice. The number of parts is known, or each has one element.

#include "onnx/control_flow.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

// Each part of a split is a layer.
constexpr int64_t kMostParts = 4096;

// The extents of the parts of SplitToSequence.
std::vector<int64_t> partsOf(NodeContext& context, int64_t extent) {
    int64_t size = 1;
    if (context.hasInput(1)) {
        bool const isScalar = context.dims(context.input(1)).nbDims == 0;
        auto const given = context.integers(1, "split", kMostParts);
        if (!isScalar) {
            return given;
        }
        size = given.empty() ? 0 : given.front();
    }
    if (extent < 0 || size < 1 || extent / size > kMostParts) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("expected parts of 1 or more of a known extent, ", kMostParts,
                          " at most, got parts of ", size, " of ", extent, "."));
    }
    std::vector<int64_t> parts(static_cast<size_t>(extent / size), size);
    if (extent % size != 0) {
        parts.push_back(extent % size);
    }
    return parts;
}

// Sizes that are known only at run time; their number is known.
void splitAtRunTime(NodeContext& context, int32_t axis) {
    Term const x = Term::input(context, 0);
    Term const sizes = Term::input(context, 1).cast(nvinfer1::DataType::kINT64);
    int64_t const count = sizes.rank() == 1 ? sizes.dims().d[0] : -1;
    if (count < 0 || count > kMostParts) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 1 (split): expected a constant, or a vector of known length, ",
                          kMostParts, " at most, got ", sizes.dims(),
                          " that is computed. The number of parts must be known."));
    }
    std::vector<Value> elements;
    Term start = Term::vector(context, {0});
    for (int64_t i = 0; i < count; ++i) {
        Term const size = sizes.sliced(0, i, 1);
        elements.push_back(x.sliced({axis}, start, size).value());
        start = start + size;
    }
    context.setOutput(0, Value(elements));
}

// Parts of one element along an unknown extent: a stack of as many.
bool splitsIntoElements(NodeContext& context, int64_t extent) {
    if (extent >= 0 || !context.hasInput(1)) {
        return extent < 0;
    }
    return context.isKnown(1) && context.dims(context.input(1)).nbDims == 0 &&
           context.integers(1, "split", 1).front() == 1;
}

Value stackOfElements(Term x, int32_t axis, bool keeps) {
    Axes order = axesBetween(0, x.rank());
    order.erase(order.begin() + axis);
    order.insert(order.begin(), axis);
    Term const slices = axis == 0 ? x : x.transposed(order);
    Value stack = keeps ? slices.inserted({axis + 1}).value() : slices.value();
    stack.isStack = true;
    return Value(std::vector<Value>{stack});
}

void importSplitToSequence(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    int32_t const axis = toAxis(context.attributes().integer("axis", 0), dims.nbDims);
    bool const keeps = context.attributes().flag("keepdims", true) || context.hasInput(1);
    if (splitsIntoElements(context, dims.d[axis])) {
        context.setOutput(0, stackOfElements(Term::input(context, 0), axis, keeps));
        return;
    }
    if (context.hasInput(1) && !context.isKnown(1)) {
        splitAtRunTime(context, axis);
        return;
    }
    std::vector<Value> elements;
    int64_t start = 0;
    ShapeMath math(context);
    for (int64_t const extent : partsOf(context, dims.d[axis])) {
        std::string const name = text("part", elements.size());
        Dims size = dims;
        size.d[axis] = extent;
        Dims from = repeatedDims(dims.nbDims, 0, "starts");
        from.d[axis] = start;
        auto& layer =
            context.named(context.network().addSlice(context.tensor(0), from, size,
                                                     repeatedDims(dims.nbDims, 1, "steps")),
                          name);
        if (std::count(size.d, size.d + size.nbDims, -1) > 0) {
            std::vector<ITensor*> extents;
            for (int32_t i = 0; i < dims.nbDims; ++i) {
                extents.push_back(i == axis ? &math.vector({extent})
                                            : &math.extents(context.tensor(0), {i}));
            }
            auto* const joined = context.network().addConcatenation(extents.data(), dims.nbDims);
            layer.setInput(2, *context.named(joined, name + "/extents").getOutput(0));
        }
        Value part(*layer.getOutput(0));
        elements.push_back(keeps ? part : removeAxes(context, part, {axis}, name + "/squeezed"));
        start = sumOf(start, extent, "split");
    }
    if (dims.d[axis] >= 0 && start != dims.d[axis]) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("split: expected parts of ", dims.d[axis], " in all, got ", start, "."));
    }
    context.setOutput(0, Value(elements));
}

} // namespace

void registerImporter_split_to_sequence(ImporterRegistry& registry) {
    registry.add("SplitToSequence", importSplitToSequence);
}

} // namespace kiln::onnx
