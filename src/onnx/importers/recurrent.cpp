// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// LSTM, GRU and RNN in both directions, with initial states, lengths of sequences, peepholes and
// the activations of the standard. The products with the input are one matrix multiply in front of
// a loop over the steps.
//   X: [steps, batch, inputs], W: [directions, gates * hidden, inputs],
//   R: [directions, gates * hidden, hidden], B: [directions, 2 * gates * hidden]
// Layer: loop and matrix multiply. DynamicQuantizeLSTM multiplies in FLOAT.

#include "onnx/importer_registry.h"
#include "onnx/recurrent_activation.h"
#include "onnx/term.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

struct Direction {
    int32_t index;
    bool reverse;
};

// DynamicQuantizeLSTM of com.microsoft: W and R are transposed, of INT8 or UINT8; inputs 8 to 11
// are their scales and zero points, one for each direction or for each of its columns.
bool isQuantized(NodeContext const& context) {
    return context.hasInput(8);
}

Term realWeights(NodeContext& context, size_t index) {
    size_t const scales = index == 1 ? 8 : 10;
    auto const factors = [&](size_t input) {
        Term const given = Term::input(context, input).cast(DataType::kFLOAT);
        return given.inserted(given.rank() == 1 ? Axes{1, 2} : Axes{1});
    };
    Term const numbers = Term::input(context, index).cast(DataType::kFLOAT);
    return ((numbers - factors(scales + 1)) * factors(scales)).swapped(1, 2);
}

// What the cells of one direction share.
struct Cell {
    NodeContext& context;
    int32_t direction;
    int64_t hidden;
    std::vector<GateFunction> functions;
    float clip;

    // Input `index` of this direction, without the axis.
    Term weights(size_t index) const {
        Term const all = isMatrix(index) && isQuantized(context) ? realWeights(context, index)
                                                                 : Term::input(context, index);
        return all.sliced(0, direction, 1).removed({0});
    }
    static bool isMatrix(size_t index) { return index == 1 || index == 2; }
    Term gate(Term all, int32_t which) const {
        return all.sliced(all.rank() - 1, which * hidden, hidden);
    }
    Term clipped(Term x) const { return clip > 0.0F ? x.clamp(-clip, clip) : x; }
    Term apply(size_t function, Term x) const { return functions[function](clipped(x)); }
};

struct States {
    Term hidden;
    Term cell{}; // of LSTM
};

// The states after a step; `projected` is the product of the step's input and W, with biases.
using Step = std::function<States(Cell const&, Term projected, States const&)>;

States lstmStep(Cell const& cell, Term projected, States const& states) {
    Term const all = projected + states.hidden.matmul(cell.weights(2), false, true);
    std::optional<Term> peepholes;
    if (cell.context.hasInput(7)) {
        peepholes = cell.weights(7);
    }
    auto const gate = [&](int32_t which, Term const& seen, int32_t peephole) {
        Term const x = cell.gate(all, which);
        return peepholes ? x + seen * cell.gate(*peepholes, peephole) : x;
    };
    bool const coupled = cell.context.attributes().integer("input_forget", 0) != 0;
    Term const input = cell.apply(0, gate(0, states.cell, 0));
    Term const forget = coupled ? 1.0 - input : cell.apply(0, gate(2, states.cell, 2));
    Term const candidate = cell.apply(1, cell.gate(all, 3));
    Term const next = forget * states.cell + input * candidate;
    Term const output = cell.apply(0, gate(1, next, 1));
    return {output * cell.functions[2](next), next};
}

States gruStep(Cell const& cell, Term projected, States const& states) {
    Term const recurrence = cell.weights(2);
    int64_t const h = cell.hidden;
    bool const late = cell.context.attributes().integer("linear_before_reset", 0) != 0;
    auto const rows = [&](int64_t from, int64_t count) {
        return recurrence.sliced(0, from * h, count * h);
    };
    Term const& state = states.hidden;
    Term const both = state.matmul(rows(0, 2), false, true);
    Term const update = cell.apply(0, cell.gate(projected, 0) + cell.gate(both, 0));
    Term const reset = cell.apply(0, cell.gate(projected, 1) + cell.gate(both, 1));
    Term inner = (late ? state : reset * state).matmul(rows(2, 1), false, true);
    if (late) {
        bool const hasBias = cell.context.hasInput(3);
        inner = reset * (hasBias ? inner + cell.weights(3).sliced(0, 5 * h, h) : inner);
    }
    Term const candidate = cell.apply(1, cell.gate(projected, 2) + inner);
    return {(1.0 - update) * candidate + update * state};
}

States rnnStep(Cell const& cell, Term projected, States const& states) {
    return {cell.apply(0, projected + states.hidden.matmul(cell.weights(2), false, true))};
}

struct Kind {
    int32_t gates;
    std::vector<std::string> functions; // of one direction
    Step step;
    bool hasCell;
};

// X W' + biases for all steps. The bias behind R of a GRU's candidate may belong to the step.
Term projectedInputs(Cell const& cell, Term x, int32_t gates, bool keepsLast) {
    Term const product = x.matmul(cell.weights(1), false, true);
    if (!cell.context.hasInput(3)) {
        return product;
    }
    Term const bias = cell.weights(3);
    int64_t const half = gates * cell.hidden;
    Term const input = bias.sliced(0, 0, half);
    if (!keepsLast) {
        return product + (input + bias.sliced(0, half, half));
    }
    Term const state = bias.sliced(0, half, half - cell.hidden);
    Term const none = bias.sliced(0, 0, cell.hidden) * 0.0;
    return product + (input + Term::joined({state, none}, 0));
}

Term reversedSequences(Term x, Term lengths) {
    auto* layer = x.context().network().addReverseSequence(x.tensor(), lengths.tensor());
    Term const result = x.of(layer);
    layer->setBatchAxis(1);
    layer->setSequenceAxis(0);
    return result;
}

struct Sequence {
    Term outputs; // [steps, batch, hidden]
    States last;
};

// Runs the steps as a loop.
Sequence run(Cell const& cell, Kind const& kind, Term projected, States const& first,
             std::optional<Term> lengths, bool reverse) {
    NodeContext& context = cell.context;
    auto& loop = *context.network().addLoop();
    loop.setName((context.layerName() + "/" + context.nextName()).c_str());
    Term const count = projected.extent(0).reshaped(std::vector<int64_t>{});
    loop.addTripLimit(count.tensor(), nvinfer1::TripLimit::kCOUNT);
    bool const backwards = reverse && !lengths; // else the sequences are reversed before
    Term const step = projected.of(loop.addIterator(projected.tensor(), 0, backwards));
    auto* hidden = loop.addRecurrence(first.hidden.tensor());
    auto* memory = first.cell.exists() ? loop.addRecurrence(first.cell.tensor()) : nullptr;
    States const before{projected.of(hidden), memory != nullptr ? projected.of(memory) : Term()};
    States after = kind.step(cell, step, before);
    Term output = after.hidden;
    if (lengths) {
        Term const numbers = Term::range(projected.extent(0));
        Term const number = numbers.of(loop.addIterator(numbers.tensor(), 0, false));
        Term const isInside = (number < *lengths).inserted({1});
        output = isInside.choose(after.hidden, after.hidden.like(0));
        after.hidden = isInside.choose(after.hidden, before.hidden);
        if (after.cell.exists()) {
            after.cell = isInside.choose(after.cell, before.cell);
        }
    }
    hidden->setInput(1, after.hidden.tensor());
    if (memory != nullptr) {
        memory->setInput(1, after.cell.tensor());
    }
    using nvinfer1::LoopOutput;
    auto* outputs = loop.addLoopOutput(
        output.tensor(), backwards ? LoopOutput::kREVERSE : LoopOutput::kCONCATENATE, 0);
    outputs->setInput(1, count.tensor());
    Term const last =
        projected.of(loop.addLoopOutput(before.hidden.tensor(), LoopOutput::kLAST_VALUE, 0));
    Term lastCell;
    if (memory != nullptr) {
        lastCell =
            projected.of(loop.addLoopOutput(before.cell.tensor(), LoopOutput::kLAST_VALUE, 0));
    }
    return {projected.of(outputs), {last, lastCell}};
}

// The state at the beginning: input `index`, or zeros. [batch, hidden]
Term initialState(Cell const& cell, size_t index, Term x, bool batchFirst) {
    NodeContext& context = cell.context;
    if (context.hasInput(index)) {
        int32_t const axis = batchFirst ? 1 : 0;
        return Term::input(context, index).sliced(axis, cell.direction, 1).removed({axis});
    }
    Term const shape = Term::joined({x.extent(1), Term::vector(context, {cell.hidden})}, 0);
    return x.like(0).expanded(shape);
}

std::vector<Direction> directionsOf(NodeContext& context) {
    std::string const name = context.attributes().string("direction", "forward");
    if (name == "forward" || name == "reverse") {
        return {{0, name == "reverse"}};
    }
    if (name != "bidirectional") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'direction': expected forward, reverse or bidirectional, got '", name,
                 "'."));
    }
    return {{0, false}, {1, true}};
}

int64_t hiddenSize(NodeContext& context) {
    Dims const dims = context.dims(context.input(2));
    int64_t const hidden = dims.nbDims == 3 ? dims.d[isQuantized(context) ? 1 : 2] : -1;
    if (hidden < 1 || context.attributes().integer("hidden_size", hidden) != hidden) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 2 (R): expected [directions, gates * hidden_size, hidden_size], "
                          "got ",
                          dims, "."));
    }
    return hidden;
}

Term stacked(std::vector<Term> terms, int32_t axis) {
    for (Term& term : terms) {
        term = term.inserted({axis});
    }
    return Term::joined(terms, axis);
}

void importRecurrent(NodeContext& context, Kind const& kind) {
    auto& attributes = context.attributes();
    bool const batchFirst = attributes.integer("layout", 0) != 0;
    auto const directions = directionsOf(context);
    int64_t const hidden = hiddenSize(context);
    Term x = Term::input(context, 0);
    x = batchFirst ? x.swapped(0, 1) : x;
    std::optional<Term> lengths;
    if (context.hasInput(4)) {
        lengths = Term::input(context, 4).cast(DataType::kINT64);
    }
    auto const functions = gateFunctions(context, kind.functions, directions.size());
    bool const late = attributes.integer("linear_before_reset", 0) != 0;
    std::vector<Term> outputs;
    std::vector<Term> lastHidden;
    std::vector<Term> lastCell;
    for (Direction const& direction : directions) {
        size_t const each = kind.functions.size();
        auto const begin = functions.begin() + static_cast<std::ptrdiff_t>(each) * direction.index;
        Cell const cell{context,
                        direction.index,
                        hidden,
                        {begin, begin + static_cast<std::ptrdiff_t>(each)},
                        attributes.real("clip", 0.0F)};
        bool const turns = direction.reverse && lengths;
        Term const ordered = turns ? reversedSequences(x, *lengths) : x;
        States first{initialState(cell, 5, x, batchFirst)};
        if (kind.hasCell) {
            first.cell = initialState(cell, 6, x, batchFirst);
        }
        Sequence const result = run(cell, kind, projectedInputs(cell, ordered, kind.gates, late),
                                    first, lengths, direction.reverse);
        outputs.push_back(turns ? reversedSequences(result.outputs, *lengths) : result.outputs);
        lastHidden.push_back(result.last.hidden);
        if (kind.hasCell) {
            lastCell.push_back(result.last.cell);
        }
    }
    Term const all = stacked(outputs, 1); // [steps, directions, batch, hidden]
    context.setOutput(0, (batchFirst ? all.transposed({2, 0, 1, 3}) : all).value());
    context.setOutput(1, stacked(lastHidden, batchFirst ? 1 : 0).value());
    if (kind.hasCell) {
        context.setOutput(2, stacked(lastCell, batchFirst ? 1 : 0).value());
    }
}

void importLstm(NodeContext& context) {
    importRecurrent(context, {4, {"Sigmoid", "Tanh", "Tanh"}, lstmStep, true});
}
void importGru(NodeContext& context) {
    importRecurrent(context, {3, {"Sigmoid", "Tanh"}, gruStep, false});
}
void importRnn(NodeContext& context) {
    importRecurrent(context, {1, {"Tanh"}, rnnStep, false});
}

} // namespace

void registerImporter_recurrent(ImporterRegistry& registry) {
    registry.add("LSTM", importLstm);
    registry.add("GRU", importGru);
    registry.add("RNN", importRnn);
    registry.add("com.microsoft", "DynamicQuantizeLSTM", importLstm);
}

} // namespace kiln::onnx
