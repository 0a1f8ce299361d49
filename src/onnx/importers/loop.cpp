// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Loop: onto a loop of the network. One with a constant number of passes is unrolled if the network
// cannot express it: it carries sequences, or tensors whose shape changes, or shapes depend on the
// number of the pass. So is one that carries sequences while a condition of constants holds. In a
// loop of the network, what passes append to a sequence or join to a tensor is stacked, and a
// condition that counts passes becomes their number.
// Layer: loop. Stacked results need a number of passes at most that is known before the run.

#include "onnx/control_flow.h"
#include "onnx/counted_loop.h"
#include "onnx/data_extents.h"
#include "onnx/double_numbers.h"
#include "onnx/growing_value.h"
#include "onnx/importer_registry.h"
#include "onnx/node_order.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

#include <kiln/known_values.h>

#include <algorithm>
#include <limits>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::IRecurrenceLayer;
using nvinfer1::ITensor;
using nvinfer1::LoopOutput;
using nvinfer1::TripLimit;

namespace {

// Exporters write the largest number where there is no limit.
constexpr int64_t kNoLimit = std::numeric_limits<int32_t>::max();

constexpr int64_t kMostUnrolled = 4096;

class LoopNode {
public:
    explicit LoopNode(NodeContext& context)
        : context_(context), body_(graphAttribute(context, "body")) {
        for (size_t i = 2; i < context.nbInputs(); ++i) {
            carried_.push_back(context.anyInput(i));
        }
        if (body_.inputs.size() != carried_.size() + 2) {
            context.fail(ErrorCode::kINVALID_NODE, text("expected a body of ", carried_.size() + 2,
                                                        " inputs, got ", body_.inputs.size(), "."));
        }
        if (context.hasInput(0)) {
            passes_ = knownNumber(context.input(0));
            isComputed_ = !passes_;
        }
        if (passes_) {
            passes_ =
                *passes_ >= kNoLimit ? std::nullopt : std::optional(std::max<int64_t>(*passes_, 0));
        }
        start_ = context.hasInput(1) ? knownNumber(context.input(1)) : 1;
        if (start_ && *start_ == 0) {
            passes_ = 0;
            isComputed_ = false;
            start_ = 1;
        }
    }

    std::vector<Value> import() {
        bool const canUnroll = start_ && !isComputed_ && passes_.value_or(0) <= kMostUnrolled;
        bool const hasSequence = std::any_of(carried_.begin(), carried_.end(), [](auto& value) {
            return value.sequence != nullptr || value.isNone;
        });
        bool const hasPasses = passes_ && *passes_ > 0;
        if (canUnroll && ((hasSequence && !endsOnData()) ||
                          (hasPasses && shapesDependOn(body_, body_.inputs[0].name)))) {
            return unrolled();
        }
        auto* const recorder = context_.network().getErrorRecorder();
        int32_t const errors = recorder != nullptr ? recorder->getNbErrors() : 0;
        try {
            return asLoop();
        } catch (ImportError const& error) {
            if (!canUnroll || error.breaksNetwork || !hasPasses) {
                throw;
            }
            std::vector<Value> results = tryUnrolled();
            if (results.empty()) {
                throw;
            }
            if (recorder != nullptr && errors == 0) {
                recorder->clear(); // of the layers that the loop would have had
            }
            return results;
        }
    }

private:
    size_t nbCarried() const { return carried_.size(); }

    // Whether all sequences grow, and a condition beside one that counts passes may end the loop.
    bool endsOnData() const {
        LoopBody const body(body_);
        auto const counted = body.counted();
        if (passes_ || !counted || counted->isAlone) {
            return false;
        }
        for (size_t i = 0; i < nbCarried(); ++i) {
            if (carried_[i].isNone || (carried_[i].sequence != nullptr && !body.appendsTo(i))) {
                return false;
            }
        }
        return true;
    }

    void expectOutputs(std::vector<Value> const& outputs) const {
        size_t const wanted = std::max(context_.node().outputs.size(), nbCarried()) + 1;
        if (outputs.size() < wanted) {
            context_.fail(ErrorCode::kINVALID_NODE, text("expected a body of ", wanted,
                                                         " outputs, got ", outputs.size(), "."));
        }
    }

    // The limit of passes as a scalar; null if there is none.
    ITensor* limit(bool atMostOne) {
        if (isComputed_) {
            ITensor& count = scalarOf(context_, context_.input(0), "M");
            return atMostOne ? &combined(count, ElementWiseOperation::kMIN, 1) : &count;
        }
        if (!passes_ && !atMostOne) {
            return nullptr;
        }
        int64_t const most = passes_.value_or(1);
        Value count = constantOf(context_, {atMostOne ? std::min<int64_t>(most, 1) : most}, 0);
        return &tensorOf(context_, count, "M");
    }

    ITensor& combined(ITensor& count, ElementWiseOperation operation, int64_t number) {
        ITensor* wide = &count;
        if (count.getType() != nvinfer1::DataType::kINT64) {
            auto* const cast = context_.network().addCast(count, nvinfer1::DataType::kINT64);
            wide = context_.named(cast, "M/cast").getOutput(0);
        }
        Value other = constantOf(context_, {number}, 0);
        ITensor& bound = tensorOf(context_, other, text("M/bound", number));
        auto* const layer = context_.network().addElementWise(*wide, bound, operation);
        return *context_.named(layer, text("M/limited", number)).getOutput(0);
    }

    struct Stacks {
        LoopBuilder& builder;
        ITensor* length;
        ITensor* ran; // the numbers of the passes that took place; null: all of them
    };

    // A growing value behind all passes.
    Value grown(Stacks const& stacks, GrowingValue const& growing, Value& added,
                std::string const& role) {
        GrowingValue::Part part = growing.partOf(added, role);
        Value all = stackOf(stacks, part.value, role, part.axis, growing.isInFront());
        return growing.joined(all, part, role);
    }

    std::vector<Value> asLoop() {
        LoopBuilder builder(context_);
        bool stacks = context_.node().outputs.size() > nbCarried();
        LoopBody const body(body_);
        std::vector<GrowingValue> growing;
        for (Value const& value : carried_) {
            growing.emplace_back(context_, body, growing.size(), value);
        }
        stacks = stacks || std::any_of(growing.begin(), growing.end(),
                                       [](auto const& value) { return value.grows(); });
        IRecurrenceLayer* counter =
            stacks || reads(body_, body_.inputs[0].name) ? &builder.carryCounter() : nullptr;
        std::vector<Value> inputs{counter != nullptr ? Value(*counter->getOutput(0))
                                                     : constantOf(context_, {0}, 0),
                                  truthOf(context_, true)}; // it is, in a pass that takes place
        std::vector<IRecurrenceLayer*> recurrences;
        for (size_t i = 0; i < nbCarried(); ++i) {
            std::string const role = text("carried", i);
            if (growing[i].grows()) {
                recurrences.push_back(nullptr);
                inputs.push_back(growing[i].nothing(role));
                continue;
            }
            bool const isPython = narrows(i);
            bool const isDouble = hasDigits(context_, carried_[i]);
            Value bits = isDouble ? bitsOf(context_, carried_[i]).value() : Value();
            recurrences.push_back(&builder.carry(isDouble ? bits : carried_[i], role));
            ITensor& current = *recurrences.back()->getOutput(0);
            Term const now(context_, current);
            inputs.push_back(!isDouble ? now.value() : isPython ? pythonFloat(now) : fromBits(now));
            inputs.back().meant = carried_[i].meant;
        }
        std::vector<Value> outputs =
            context_.surroundings().importGraph(body_, inputs, text(context_.layerName(), "/body"));
        expectOutputs(outputs);
        bool const isWhile = addLimits(builder, outputs[0]);
        Stacks stack{builder, stacks ? &lengthOfStacks() : nullptr, nullptr};
        if (stacks && isWhile) {
            stack.ran = &indicesOfPasses(builder, *counter, *stack.length);
        }
        std::vector<Value> results;
        for (size_t i = 0; i < nbCarried(); ++i) {
            std::string const role = text("carried", i);
            if (recurrences[i] == nullptr) {
                results.push_back(grown(stack, growing[i], outputs[i + 1], role));
                continue;
            }
            bool const isDouble = inputs[i + 2].bits != nullptr;
            Value bits = isDouble ? bitsOf(context_, outputs[i + 1]).value() : Value();
            builder.setNext(*recurrences[i], isDouble ? bits : outputs[i + 1], role);
            Value const last = builder.last(*recurrences[i], role);
            results.push_back(isDouble ? fromBits(Term(context_, *last.tensor)) : last);
            results.back().meant = outputs[i + 1].meant;
        }
        for (size_t i = nbCarried(); i < context_.node().outputs.size(); ++i) {
            results.push_back(stackOf(stack, outputs[i + 1], text("scan", i)));
            results.back().meant = outputs[i + 1].meant;
        }
        return results;
    }

    // Whether passes take a DOUBLE number and give a FLOAT one. ONNX does not allow that; torch.jit
    // writes numbers of Python so, which have the digits of DOUBLE.
    bool narrows(size_t carried) const {
        bool const found = carried + 1 < body_.outputs.size() &&
                           hasDigits(context_, carried_[carried]) &&
                           body_.outputs[carried + 1].type == ElementType::kFloat;
        if (found) {
            context_.log()(nvinfer1::ILogger::Severity::kWARNING, "node '", context_.layerName(),
                           "' (Loop): '", body_.inputs[carried + 2].name,
                           "' is DOUBLE, but passes make it FLOAT, as torch.jit writes numbers of ",
                           "Python. Kiln computes it in DOUBLE; numbers that come from outside of ",
                           "the loop have the digits of FLOAT, so the number of passes may differ ",
                           "from that of the program. Keep such numbers in tensors of float64.");
        }
        return found;
    }

    // Returns whether a condition may end the loop.
    bool addLimits(LoopBuilder& builder, Value& next) {
        auto const goesOn = knownNumber(next);
        bool isWhile = !start_ || !goesOn;
        count_ = limit(start_ && goesOn && *goesOn == 0);
        if (isWhile && count_ == nullptr) {
            bool isAlone = true;
            count_ = countOfCondition(isAlone);
            isWhile = count_ == nullptr || !isAlone;
            isComputed_ = isComputed_ || count_ != nullptr;
        }
        if (count_ != nullptr) {
            builder.limit(*count_, TripLimit::kCOUNT);
        } else if (!isWhile) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE,
                          "expected a number of passes or a condition that ends the loop, got "
                          "neither: it would never end.");
        }
        if (isWhile) {
            Value first = start_ ? truthOf(context_, true) : Value();
            ITensor& initial = scalarOf(context_, start_ ? first : context_.input(1), "cond");
            Value start(initial);
            IRecurrenceLayer& condition = builder.carry(start, "cond/carried");
            Value after(scalarOf(context_, next, "cond/next"));
            builder.setNext(condition, after, "cond");
            builder.limit(*condition.getOutput(0), TripLimit::kWHILE);
        }
        return isWhile;
    }

    // A value from around the body, or of a constant in it.
    Value around(LoopBody const& body, std::string const& name) {
        GraphProto graph;
        if (NodeProto const* const constant = body.constant(name)) {
            graph.nodes.push_back(*constant);
        }
        graph.outputs.emplace_back();
        graph.outputs.back().name = name;
        return context_.surroundings().importGraph(graph, {}, context_.layerName()).front();
    }

    // The number of passes, as a scalar, if the condition counts them; else null. The condition is
    // looked at behind a pass, so that the first one takes place if `cond` says so. If the
    // condition is not alone, there may be fewer passes.
    ITensor* countOfCondition(bool& isAlone) {
        LoopBody const body(body_);
        auto const counted = body.counted();
        if (!counted) {
            return nullptr;
        }
        auto const first = knownNumber(carried_[counted->carried]);
        auto const isFalse = [&](std::string const& name) {
            return knownNumber(around(body, name)) == 0;
        };
        if (!first || knownNumber(around(body, counted->step)) != 1 ||
            !std::all_of(counted->endings.begin(), counted->endings.end(), isFalse)) {
            return nullptr;
        }
        isAlone = counted->isAlone;
        Value last = around(body, counted->limit);
        Term const limit = Term(context_, scalarOf(context_, last, "limit"));
        if (!isInteger(limit.type())) {
            return nullptr;
        }
        auto const below = static_cast<double>(*first - (counted->inclusive ? 1 : 0));
        Term passes = (limit.cast(nvinfer1::DataType::kINT64) - below).max(1.0);
        if (!start_ && isAlone) {
            Term const start(context_, scalarOf(context_, context_.input(1), "cond"));
            passes = start.choose(passes, passes.like(0));
        }
        return &passes.tensor();
    }

    ITensor& lengthOfStacks() {
        if (count_ == nullptr) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE,
                          "stacked outputs: expected a limit M of the number of passes, got none. "
                          "Give the loop one.");
        }
        ITensor& length = isComputed_ ? combined(*count_, ElementWiseOperation::kMAX, 0) : *count_;
        if (kiln::hasShapeValues(length)) {
            return length;
        }
        Term const vector = Term(context_, length).inserted({0});
        return Term(context_, extentsOfData(context_, vector.tensor())).removed({0}).tensor();
    }

    // The values of all passes along a new axis, the last one in front if `isReversed`.
    Value stackOf(Stacks const& stacks, Value& value, std::string const& role, int32_t axis = 0,
                  bool isReversed = false) {
        bool const turns = isReversed && stacks.ran == nullptr;
        Value all =
            stacks.builder.stack(value, turns ? LoopOutput::kREVERSE : LoopOutput::kCONCATENATE,
                                 axis, *stacks.length, role);
        if (stacks.ran != nullptr) { // without the slices of passes that did not take place
            Term ran = Term(context_, *stacks.ran);
            if (isReversed) {
                ran = ran.extent(0).cast(ran.type()) - 1.0 - ran;
            }
            auto* const layer = context_.network().addGather(*all.tensor, ran.tensor(), axis);
            all = Value(*context_.named(layer, role).getOutput(0));
        }
        return all;
    }

    // 0 .. n - 1 for n passes. The stack of the numbers 1 .. n is 0 behind them.
    ITensor& indicesOfPasses(LoopBuilder& builder, IRecurrenceLayer& counter, ITensor& length) {
        Value next(*counter.getInput(1));
        Value numbers = builder.stack(next, LoopOutput::kCONCATENATE, 0, length, "passes");
        auto* const layer = context_.network().addNonZero(*numbers.tensor);
        ITensor& found = *context_.named(layer, "passes/found").getOutput(0);
        return reshape(context_, found, Dims{1, {-1}}, false, "passes/indices");
    }

    std::vector<Value> tryUnrolled() {
        try {
            return unrolled();
        } catch (ImportError const&) {
            return {}; // the error of the loop says more
        }
    }

    std::vector<Value> unrolled() {
        std::vector<Value> values = carried_;
        std::vector<std::vector<Value>> stacks(
            std::max(context_.node().outputs.size(), nbCarried()) - nbCarried());
        bool ends = passes_.has_value();
        for (int64_t pass = 0; pass < passes_.value_or(kMostUnrolled); ++pass) {
            std::vector<Value> inputs{constantOf(context_, {pass}, 0), truthOf(context_, true)};
            inputs.insert(inputs.end(), values.begin(), values.end());
            std::vector<Value> const outputs = context_.surroundings().importGraph(
                body_, inputs, text(context_.layerName(), "/", pass));
            expectOutputs(outputs);
            auto const last = outputs.begin() + 1 + static_cast<std::ptrdiff_t>(nbCarried());
            values.assign(outputs.begin() + 1, last);
            for (size_t i = 0; i < stacks.size(); ++i) {
                stacks[i].push_back(last[static_cast<std::ptrdiff_t>(i)]);
            }
            auto const goesOn = knownNumber(outputs[0]);
            if (!goesOn) {
                context_.fail(ErrorCode::kUNSUPPORTED_NODE,
                              "expected a constant condition in a loop that carries sequences, or "
                              "tensors whose shape changes, got one that is computed.");
            }
            if (*goesOn == 0) {
                ends = true;
                break;
            }
        }
        if (!ends) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE, text("expected at most ", kMostUnrolled,
                                                             " passes of a loop that carries "
                                                             "sequences, got more."));
        }
        for (size_t i = 0; i < stacks.size(); ++i) {
            values.push_back(stacked(stacks[i], text("scan", nbCarried() + i)));
        }
        return values;
    }

    Value stacked(std::vector<Value>& slices, std::string const& role) {
        if (slices.empty()) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE,
                          text(role, ": expected a loop with passes, got none."));
        }
        std::vector<ITensor*> tensors;
        for (size_t i = 0; i < slices.size(); ++i) {
            std::string const name = text(role, "/", i);
            Value slice = insertAxes(context_, slices[i], {0}, name);
            tensors.push_back(&tensorOf(context_, slice, name));
        }
        auto* const layer = context_.network().addConcatenation(
            tensors.data(), static_cast<int32_t>(tensors.size()));
        auto& named = context_.named(layer, role);
        named.setAxis(0);
        Value result(*named.getOutput(0));
        result.meant = slices.front().meant;
        return result;
    }

    NodeContext& context_;
    GraphProto const& body_;
    std::vector<Value> carried_;
    std::optional<int64_t> passes_; // the number of passes at most, if it is a constant
    bool isComputed_ = false;       // whether layers compute it
    std::optional<int64_t> start_;  // whether the first pass takes place, if that is a constant
    ITensor* count_ = nullptr;
};

void importLoop(NodeContext& context) {
    std::vector<Value> const results = LoopNode(context).import();
    for (size_t i = 0; i < results.size(); ++i) {
        context.setOutput(i, results[i]);
    }
}

} // namespace

void registerImporter_loop(ImporterRegistry& registry) {
    registry.add("Loop", importLoop);
}

} // namespace kiln::onnx
