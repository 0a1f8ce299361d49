// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Sequences: lists of tensors that the parser keeps, so their lengths and positions are known. What
// a loop appends in each pass is one tensor of all of them, a stack, and so are the slices of an
// unknown extent.
// Layer: concatenation and slice. Lengths and positions are constants, unless a loop or a split
// into slices made the whole sequence; elements of one known shape may be taken at any position; no
// sequence enters or leaves the model.

#include "onnx/control_flow.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

std::vector<Value> const& sequence(NodeContext& context, size_t index) {
    Value const& value = context.anyInput(index);
    if (value.sequence == nullptr) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("input ", index, ": expected a sequence, got a tensor."));
    }
    return *value.sequence;
}

bool hasStack(std::vector<Value> const& elements) {
    return std::any_of(elements.begin(), elements.end(),
                       [](Value const& element) { return element.isStack; });
}

// A sequence whose length is known while the model is parsed.
std::vector<Value> const& listOf(NodeContext& context, size_t index) {
    auto const& elements = sequence(context, index);
    if (hasStack(elements)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("input ", index, ": expected a sequence of known length, got one that a ",
                          "loop makes. Give the loop a constant number of passes."));
    }
    return elements;
}

// Input `index` as a position in 0 .. count - 1, or `otherwise` if it is absent.
size_t position(NodeContext& context, size_t index, size_t count, size_t otherwise) {
    if (!context.hasInput(index)) {
        return otherwise;
    }
    auto const given = knownNumber(context.input(index));
    auto const signedCount = static_cast<int64_t>(count);
    if (!given) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("input ", index, " (position): expected a constant, got one that is ",
                          "computed. Sequences are resolved while the model is parsed."));
    }
    if (*given < -signedCount || *given >= signedCount) {
        context.fail(ErrorCode::kINVALID_NODE, text("position: expected ", -signedCount, " .. ",
                                                    signedCount - 1, ", got ", *given, "."));
    }
    return static_cast<size_t>(*given < 0 ? *given + signedCount : *given);
}

void importSequenceConstruct(NodeContext& context) {
    std::vector<Value> elements;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        elements.push_back(context.input(i));
    }
    context.setOutput(0, Value(elements));
}

void importSequenceEmpty(NodeContext& context) {
    context.attributes().find("dtype"); // that of the tensors that are inserted
    context.setOutput(0, Value(std::vector<Value>{}));
}

// The type in the model that another one stands for; kUndefined if none does.
ElementType replacedType(Value const& value) {
    return isReplaced(value.meant) ? value.meant : ElementType::kUndefined;
}

// Whether the elements of a list can be one tensor: they have one known shape and one type.
bool areAlike(NodeContext& context, std::vector<Value> const& elements) {
    Value const* const first = elements.empty() ? nullptr : &elements.front();
    return std::all_of(elements.begin(), elements.end(), [&](Value const& element) {
        if (!element.isConstant && element.tensor == nullptr) {
            return false;
        }
        Dims const dims = context.dims(element);
        Dims const wanted = context.dims(*first);
        return std::equal(dims.d, dims.d + dims.nbDims, wanted.d, wanted.d + wanted.nbDims) &&
               std::count(dims.d, dims.d + dims.nbDims, -1) == 0 &&
               NodeContext::typeOf(element) == NodeContext::typeOf(*first) &&
               replacedType(element) == replacedType(*first);
    });
}

// The slice of a stack at a position that data gives.
Value sliceAt(NodeContext& context, Term all, ElementType meant) {
    Term const given = Term::input(context, 1).cast(nvinfer1::DataType::kINT64);
    Term const position = given.reshaped(std::vector<int64_t>{1});
    Term const at = (position < 0.0).choose(position + all.extent(0), position);
    Value slice = all.gathered(at, 0).removed({0}).value();
    slice.meant = meant;
    return slice;
}

void importSequenceAt(NodeContext& context) {
    static_cast<void>(context.input(1)); // the position is not optional
    auto const& sequenceOf = sequence(context, 0);
    if (sequenceOf.size() == 1 && sequenceOf.front().isStack) {
        Value const& stack = sequenceOf.front();
        context.setOutput(0, sliceAt(context, Term(context, *stack.tensor), stack.meant));
        return;
    }
    auto const& elements = listOf(context, 0);
    if (!elements.empty() && !knownNumber(context.input(1)) && areAlike(context, elements)) {
        std::vector<Term> slices;
        for (Value element : elements) {
            std::string const name = text("element", slices.size());
            Term const slice(context, tensorOf(context, element, name));
            slices.push_back(slice.inserted({0}));
        }
        context.setOutput(
            0, sliceAt(context, Term::joined(slices, 0), replacedType(elements.front())));
        return;
    }
    context.setOutput(0, elements[position(context, 1, elements.size(), 0)]);
}

void importSequenceInsert(NodeContext& context) {
    std::vector<Value> elements = sequence(context, 0);
    size_t const size = elements.size();
    size_t at = size;
    if (context.hasInput(2)) {
        listOf(context, 0); // one more position than elements; negative ones count from the end
        auto const given = knownNumber(context.input(2));
        bool const isEnd = given && *given == static_cast<int64_t>(size);
        at = isEnd ? size : position(context, 2, size, size);
    }
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(at), context.input(1));
    context.setOutput(0, Value(elements));
}

void importSequenceErase(NodeContext& context) {
    std::vector<Value> elements = listOf(context, 0);
    if (elements.empty()) {
        context.fail(ErrorCode::kINVALID_NODE, "expected a sequence with elements, got none.");
    }
    size_t const at = position(context, 1, elements.size(), elements.size() - 1);
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
    context.setOutput(0, Value(elements));
}

void importSequenceLength(NodeContext& context) {
    auto const& elements = sequence(context, 0);
    auto const stacks = std::count_if(elements.begin(), elements.end(),
                                      [](Value const& element) { return element.isStack; });
    auto const others = static_cast<int64_t>(elements.size()) - stacks;
    if (stacks == 0) {
        context.setOutput(0, constantOf(context, {others}, 0));
        return;
    }
    Term all = Term::vector(context, {others});
    for (Value const& element : elements) {
        all = element.isStack ? all + Term(context, *element.tensor).extent(0) : all;
    }
    context.setOutput(0, all.removed({0}).value());
}

// The elements that a loop stacked, joined along an axis of the result.
ITensor& joinedStack(NodeContext& context, Value const& stack, int32_t axis, bool isNewAxis) {
    Term all(context, *stack.tensor);
    int32_t const rank = all.rank();
    Axes order = axesBetween(1, rank);
    order.insert(order.begin() + axis, 0);
    all = axis == 0 ? all : all.transposed(order);
    if (isNewAxis) {
        return all.tensor();
    }
    std::vector<Term> extents;
    for (int32_t i = 0; i < rank; ++i) {
        if (i == axis) {
            extents.push_back(all.extent(i) * all.extent(i + 1));
            ++i;
        } else {
            extents.push_back(all.extent(i));
        }
    }
    return all.reshaped(Term::joined(extents, 0)).tensor();
}

void importConcatFromSequence(NodeContext& context) {
    std::vector<Value> elements = sequence(context, 0);
    bool const isNewAxis = context.attributes().flag("new_axis", false);
    int64_t const given = context.attributes().integer("axis", 0);
    if (elements.empty()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     "expected a sequence with elements, got none: its shape is not known.");
    }
    int32_t const rank = context.dims(elements.front()).nbDims - (elements.front().isStack ? 1 : 0);
    int32_t const axis = toAxis(given, isNewAxis ? rank + 1 : rank);
    std::vector<ITensor*> tensors;
    for (size_t i = 0; i < elements.size(); ++i) {
        std::string const name = text("element", i);
        if (elements[i].isStack) {
            tensors.push_back(&joinedStack(context, elements[i], axis, isNewAxis));
            continue;
        }
        Value element = isNewAxis ? insertAxes(context, elements[i], {axis}, name) : elements[i];
        tensors.push_back(&tensorOf(context, element, name));
    }
    auto& layer = context.named(
        context.network().addConcatenation(tensors.data(), static_cast<int32_t>(tensors.size())));
    layer.setAxis(axis);
    context.setOutput(layer);
}

// Calls the body for each element of the first sequence.
void importSequenceMap(NodeContext& context) {
    GraphProto const& body = graphAttribute(context, "body");
    std::vector<std::vector<Value>> results(context.node().outputs.size());
    size_t const length = listOf(context, 0).size();
    for (size_t i = 0; i < length; ++i) {
        std::vector<Value> inputs;
        for (size_t input = 0; input < context.nbInputs(); ++input) {
            Value const& value = context.anyInput(input);
            if (value.sequence != nullptr && listOf(context, input).size() != length) {
                context.fail(ErrorCode::kINVALID_NODE,
                             text("input ", input, ": expected a sequence of ", length,
                                  " elements, got ", value.sequence->size(), "."));
            }
            inputs.push_back(value.sequence != nullptr ? (*value.sequence)[i] : value);
        }
        auto const outputs =
            context.surroundings().importGraph(body, inputs, text(context.layerName(), "/", i));
        if (outputs.size() < results.size()) {
            context.fail(ErrorCode::kINVALID_NODE, text("expected a body of ", results.size(),
                                                        " outputs, got ", outputs.size(), "."));
        }
        for (size_t output = 0; output < results.size(); ++output) {
            if (outputs[output].sequence != nullptr || outputs[output].isNone) {
                context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                             text("output ", output, " of the body: expected a tensor, got a ",
                                  outputs[output].isNone ? "missing value." : "sequence."));
            }
            results[output].push_back(outputs[output]);
        }
    }
    for (size_t output = 0; output < results.size(); ++output) {
        context.setOutput(output, Value(results[output]));
    }
}

} // namespace

void registerImporter_sequence(ImporterRegistry& registry) {
    registry.add("SequenceConstruct", importSequenceConstruct);
    registry.add("SequenceEmpty", importSequenceEmpty);
    registry.add("SequenceAt", importSequenceAt);
    registry.add("SequenceInsert", importSequenceInsert);
    registry.add("SequenceErase", importSequenceErase);
    registry.add("SequenceLength", importSequenceLength);
    registry.add("ConcatFromSequence", importConcatFromSequence);
    registry.add("SequenceMap", importSequenceMap);
}

} // namespace kiln::onnx
