// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What moves no bytes becomes a view, which uses memory of another value: the output of a reshape,
// of a cast to a type of the same bits, or of a slice of consecutive elements, and the inputs of a
// concatenation that follow each other in its output. Memory that a plugin writes in place is left
// alone, and a network output that would be a view of a network input needs its copy.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/outer_parts.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "compiler/value_memory.h"
#include "graph/ops/bit_cast.h"
#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

/// Whether a cast to another type keeps all bits: truth values are the numbers 0 and 1.
bool keepsBits(DataType from, DataType to) {
    return from == DataType::kBOOL && (to == DataType::kUINT8 || to == DataType::kINT8);
}

class ViewMaker {
public:
    explicit ViewMaker(Program& program) : program_(program), rewriter_(program), parts_(program) {}

    void run() {
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            for (std::size_t i = 0; i < step.aliases.size(); ++i) {
                if (step.aliases[i] >= 0) {
                    inPlace_.insert(rootOf(step.outputs()[i]));
                    inPlace_.insert(
                        rootOf(step.inputs()[static_cast<std::size_t>(step.aliases[i])]));
                }
            }
        }
        for (StepId const id : program_.order()) {
            makeView(id);
        }
    }

private:
    void makeView(StepId id) {
        Step const& step = program_.step(id);
        if (step.as<graph::Concatenation>() != nullptr) {
            viewInputs(id);
        } else if (step.as<graph::Slice>() != nullptr) {
            viewPart(id);
        } else if (movesNothing(step)) {
            viewWhole(id);
        }
    }

    bool movesNothing(Step const& step) const {
        if (auto const* op = step.as<graph::Shuffle>()) {
            return op->firstTranspose == graph::Shuffle::kIdentity &&
                   op->secondTranspose == graph::Shuffle::kIdentity;
        }
        if (step.as<graph::BitCast>() != nullptr) {
            return true;
        }
        return step.as<graph::Cast>() != nullptr &&
               keepsBits(program_.value(step.inputs()[0]).type.type,
                         program_.value(step.outputs()[0]).type.type);
    }

    ValueId rootOf(ValueId id) const { return memoryOf(program_, id); }

    bool isShared(ValueId id) const { return inPlace_.count(rootOf(id)) != 0; }

    bool isLinear(ValueId id) const {
        return program_.value(id).type.format == TensorFormat::kLINEAR;
    }

    /// Whether the memory of a value has an address of its own in a run, and is not written twice.
    bool isUsable(ValueId id) const {
        plan::TensorRole const role = program_.value(rootOf(id)).role;
        // Shape inputs are in host memory; on a device, kernels read copies of them.
        auto const& onHost = program_.shapeInputs;
        return std::find(onHost.begin(), onHost.end(), rootOf(id)) == onHost.end() &&
               (role == plan::TensorRole::kInternal || role == plan::TensorRole::kInput ||
                role == plan::TensorRole::kOutput) &&
               isLinear(id) && !isShared(id);
    }

    void viewWhole(StepId id) {
        ValueId const from = program_.step(id).inputs()[0];
        ValueId const to = program_.step(id).outputs()[0];
        Value const& view = program_.value(to);
        if (!isUsable(from) || !isLinear(to) || isShared(to)) {
            return;
        }
        ValueId const root = rootOf(from);
        if (view.isPrivate()) {
            share(to, root, program_.value(from).begin);
        } else if (view.role == plan::TensorRole::kOutput && !view.debug && !view.shapeOutput &&
                   ownsMemory(program_, root) && program_.value(root).type == view.type &&
                   program_.value(from).begin == Value::kNoBegin) {
            share(root, to, Value::kNoBegin); // what makes the source writes to the output
        } else {
            return;
        }
        rewriter_.erase(id);
    }

    void viewPart(StepId id) {
        ValueId const from = program_.step(id).inputs()[0];
        ValueId const to = program_.step(id).outputs()[0];
        if (!isUsable(from) || !isLinear(to) || isShared(to) || !program_.value(to).isPrivate()) {
            return;
        }
        if (auto const begin = parts_.beginOfSlice(program_.step(id))) {
            share(to, rootOf(from), sum(program_.value(from).begin, *begin));
            rewriter_.erase(id);
        }
    }

    /// Whether what makes a value can write it to a part of another one.
    bool isMovable(ValueId id) const {
        Value const& value = program_.value(id);
        return ownsMemory(program_, id) && value.sharesWith == ValueId::kNone &&
               value.producer() != StepId::kNone && isUsable(id);
    }

    void viewInputs(StepId id) {
        Step const& step = program_.step(id);
        ValueId const to = step.outputs()[0];
        Value const& whole = program_.value(to);
        bool const mayHold = whole.isPrivate() || (whole.role == plan::TensorRole::kOutput &&
                                                   !whole.debug && !whole.shapeOutput);
        std::unordered_set<ValueId> distinct;
        bool const movable =
            std::all_of(step.inputs().begin(), step.inputs().end(), [&](ValueId input) {
                return isMovable(input) && program_.value(input).type == whole.type &&
                       distinct.insert(input).second;
            });
        if (!mayHold || !movable || !isUsable(to) || whole.sharesWith != ValueId::kNone) {
            return;
        }
        if (auto const begins = parts_.beginsOfInputs(step)) {
            std::vector<ValueId> const inputs = step.inputs();
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                share(inputs[i], to, (*begins)[i]);
            }
            rewriter_.erase(id);
        }
    }

    graph::ExprRef sum(graph::ExprRef a, graph::ExprRef b) {
        return a == Value::kNoBegin   ? b
               : b == Value::kNoBegin ? a
                                      : program_.pool.binary(graph::ExprOp::kSum, a, b);
    }

    /// `value` and all views of it use the memory of `root`, from element `begin` on.
    void share(ValueId value, ValueId root, graph::ExprRef begin) {
        std::vector<ValueId> members = std::move(views_[value]);
        members.push_back(value);
        for (ValueId const member : members) {
            program_.value(member).sharesWith = root;
            program_.value(member).begin = sum(program_.value(member).begin, begin);
            views_[root].push_back(member);
        }
    }

    Program& program_;
    Rewriter rewriter_;
    OuterParts parts_;
    std::unordered_set<ValueId> inPlace_;                     ///< roots that plugins write in place
    std::unordered_map<ValueId, std::vector<ValueId>> views_; ///< by root
};

} // namespace

void makeViews(Program& program) {
    ViewMaker(program).run();
}

} // namespace kiln::compiler
