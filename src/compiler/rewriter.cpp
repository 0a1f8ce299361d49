// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/rewriter.h"

#include <algorithm>
#include <set>
#include <utility>

#include "graph/ops/control.h"

namespace kiln::compiler {

/// The producer and the users of the value have another neighbourhood.
void Rewriter::noteChanged(ValueId id) {
    if (id == ValueId::kNone) {
        return;
    }
    Value const& value = program_.value(id);
    if (value.producer_ != StepId::kNone) {
        changed_.push_back(value.producer_);
    }
    // A value with many users is rarely part of a pattern as a whole.
    constexpr std::size_t kMostUsers = 8;
    for (std::size_t i = 0; i < std::min(value.users_.size(), kMostUsers); ++i) {
        changed_.push_back(value.users_[i].step);
    }
}

std::vector<StepId> Rewriter::takeChanged() {
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    std::erase_if(changed_, [&](StepId id) { return program_.step(id).erased_; });
    return std::exchange(changed_, {});
}

void Rewriter::link(StepId id) {
    Step const& step = program_.step(id);
    for (std::size_t i = 0; i < step.inputs_.size(); ++i) {
        if (step.inputs_[i] != ValueId::kNone) {
            program_.value(step.inputs_[i]).users_.push_back({id, i});
        }
    }
    for (ValueId const output : step.outputs_) {
        program_.value(output).producer_ = id;
        noteChanged(output);
    }
    for (ValueId const input : step.inputs_) {
        noteChanged(input);
    }
}

StepId Rewriter::insertBefore(StepId place, Step step) {
    auto const id = static_cast<StepId>(program_.steps_.size());
    StepId const before = place == StepId::kNone ? program_.last_ : program_.step(place).before_;
    step.before_ = before;
    step.after_ = place;
    step.erased_ = false;
    program_.steps_.push_back(std::move(step));
    (before == StepId::kNone ? program_.first_ : program_.step(before).after_) = id;
    (place == StepId::kNone ? program_.last_ : program_.step(place).before_) = id;
    link(id);
    return id;
}

StepId Rewriter::insertAfter(StepId place, Step step) {
    return insertBefore(program_.step(place).after_, std::move(step));
}

void Rewriter::removeUse(ValueId value, Use use) {
    if (value == ValueId::kNone) {
        return;
    }
    std::vector<Use>& users = program_.value(value).users_;
    auto const found = std::find(users.begin(), users.end(), use);
    if (found != users.end()) {
        *found = users.back();
        users.pop_back();
    }
}

void Rewriter::setInput(StepId step, std::size_t operand, ValueId value) {
    ValueId& own = program_.step(step).inputs_.at(operand);
    removeUse(own, {step, operand});
    noteChanged(own);
    own = value;
    if (value != ValueId::kNone) {
        program_.value(value).users_.push_back({step, operand});
    }
    noteChanged(value);
    changed_.push_back(step);
}

void Rewriter::setInputs(StepId step, std::vector<ValueId> values) {
    Step& own = program_.step(step);
    for (std::size_t i = 0; i < own.inputs_.size(); ++i) {
        removeUse(own.inputs_[i], {step, i});
        noteChanged(own.inputs_[i]);
    }
    changed_.push_back(step);
    own.inputs_ = std::move(values);
    for (std::size_t i = 0; i < own.inputs_.size(); ++i) {
        if (own.inputs_[i] != ValueId::kNone) {
            program_.value(own.inputs_[i]).users_.push_back({step, i});
        }
    }
}

void Rewriter::setOutput(StepId step, std::size_t output, ValueId value) {
    ValueId& own = program_.step(step).outputs_.at(output);
    if (program_.value(own).producer_ == step) {
        program_.value(own).producer_ = StepId::kNone;
    }
    own = value;
    program_.value(value).producer_ = step;
    noteChanged(value);
}

void Rewriter::replaceUses(ValueId old, ValueId with) {
    std::vector<Use> const users = std::move(program_.value(old).users_);
    program_.value(old).users_.clear();
    for (Use const& use : users) {
        program_.step(use.step).inputs_[use.operand] = with;
        program_.value(with).users_.push_back(use);
        changed_.push_back(use.step);
    }
    noteChanged(old);
    noteChanged(with);
}

void Rewriter::erase(StepId id) {
    Step& step = program_.step(id);
    for (std::size_t i = 0; i < step.inputs_.size(); ++i) {
        removeUse(step.inputs_[i], {id, i});
        noteChanged(step.inputs_[i]);
    }
    for (ValueId const output : step.outputs_) {
        if (program_.value(output).producer_ == id) {
            program_.value(output).producer_ = StepId::kNone;
        }
    }
    (step.before_ == StepId::kNone ? program_.first_ : program_.step(step.before_).after_) =
        step.after_;
    (step.after_ == StepId::kNone ? program_.last_ : program_.step(step.after_).before_) =
        step.before_;
    step.erased_ = true; // `after_` stays, for a walk that is at this step
    step.op.reset();
}

void Rewriter::eraseUnused() {
    StepId next = StepId::kNone;
    for (StepId id = program_.last_; id != StepId::kNone; id = next) {
        Step const& step = program_.step(id);
        next = step.before_;
        bool const needed =
            step.findsSizes() || graph::isControl(*step.op) ||
            std::any_of(step.outputs_.begin(), step.outputs_.end(), [&](ValueId output) {
                Value const& value = program_.value(output);
                return !value.users().empty() || !value.isPrivate();
            });
        if (!needed) {
            erase(id);
        }
    }
}

void Rewriter::note(StepId into, std::span<StepId const> others, std::string_view pattern) {
    std::string replaced;
    for (StepId const other : others) {
        if (other != into) {
            replaced += (replaced.empty() ? "" : ", ") + program_.step(other).name;
        }
    }
    program_.step(into).rewrites.push_back(std::string(pattern) + ": " + replaced);
}

void Rewriter::join(StepId into, std::span<StepId const> others, std::string_view pattern) {
    Step& own = program_.step(into);
    note(into, others, pattern);
    for (StepId const other : others) {
        if (other == into) {
            continue;
        }
        Step const& step = program_.step(other);
        own.pinned = own.pinned || step.pinned;
        if (step.name != own.name) {
            own.name += (own.name.empty() ? "" : " + ") + step.name;
        }
        if (!step.metadata.empty() && step.metadata != own.metadata) {
            own.metadata += (own.metadata.empty() ? "" : "; ") + step.metadata;
        }
        own.rewrites.insert(own.rewrites.end(), step.rewrites.begin(), step.rewrites.end());
    }
}

void checkProgram(Program const& program, std::string_view pass) {
    auto const expect = [&](bool holds, std::string_view what, std::string const& name) {
        if (!holds) {
            fail(ErrorKind::kInternal, "[builder] after pass '{}', '{}': {}.", pass, name, what);
        }
    };
    std::set<ValueId> made;
    std::set<ValueId> memories; // of values that are parts of others
    for (Value const& value : program.values()) {
        memories.insert(value.sharesWith);
    }
    std::size_t uses = 0;
    for (StepId const id : program.order()) {
        Step const& step = program.step(id);
        for (std::size_t i = 0; i < step.inputs().size(); ++i) {
            if (step.inputs()[i] == ValueId::kNone) {
                continue;
            }
            Value const& input = program.value(step.inputs()[i]);
            ++uses;
            expect(std::count(input.users().begin(), input.users().end(), Use{id, i}) == 1,
                   "a step reads it but is not among its users", input.name);
            expect(input.producer() == StepId::kNone || made.count(step.inputs()[i]) != 0,
                   "it is read before it is produced", input.name);
            expect(input.producer() != StepId::kNone || input.role != plan::TensorRole::kInternal ||
                       input.sharesWith != ValueId::kNone || memories.count(step.inputs()[i]) != 0,
                   "it is read, but no step produces it", input.name);
        }
        for (ValueId const output : step.outputs()) {
            expect(program.value(output).producer() == id, "its producer is another step",
                   program.value(output).name);
            expect(made.insert(output).second, "two steps produce it", program.value(output).name);
        }
    }
    std::size_t known = 0;
    for (Value const& value : program.values()) {
        known += value.users().size();
    }
    expect(known == uses, "values have users that do not read them", program.name);
}

} // namespace kiln::compiler
