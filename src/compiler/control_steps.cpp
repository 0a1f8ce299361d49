// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/control_steps.h"

#include <algorithm>
#include <unordered_set>

#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

class Finder {
public:
    explicit Finder(Program const& program) : program_(program) {}

    std::vector<ControlSteps> run() {
        scopes_.emplace_back();
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            if (step.as<graph::EndRepeat>() != nullptr || step.as<graph::EndBranch>() != nullptr) {
                close(id, step.as<graph::EndRepeat>() != nullptr);
            } else if (step.as<graph::Otherwise>() != nullptr) {
                expect(!open_.empty() && open_.back().repeats(), step, "a branch in front of it");
                leave(step);
                open_.back().middle = id;
                scopes_.emplace_back();
            } else {
                read(step);
            }
            if (step.as<graph::Test>() != nullptr) {
                expect(!open_.empty() && open_.back().repeats(), step, "a loop around it");
                open_.back().test = id;
            }
            if (!step.isPlugin() && graph::opensBody(*step.op)) {
                open_.push_back({id});
                scopes_.emplace_back();
            }
            for (ValueId const output : step.outputs()) {
                expect(open_.empty() || program_.value(output).role == plan::TensorRole::kInternal,
                       step, "outputs that leave the body through its end");
                scopes_.back().insert(output);
                if (program_.value(output).sharesWith != ValueId::kNone) {
                    scopes_.back().insert(program_.value(output).sharesWith); // as a part of it
                }
            }
        }
        if (!open_.empty()) {
            expect(false, program_.step(open_.back().open), "an end behind it");
        }
        return std::move(found_);
    }

private:
    void expect(bool holds, Step const& step, std::string_view what) const {
        if (!holds) {
            fail(ErrorKind::kInternal,
                 "[builder] step '{}': expected {}, got none. Report this as a defect of Kiln.",
                 step.name, what);
        }
    }

    void close(StepId id, bool repeats) {
        Step const& step = program_.step(id);
        expect(!open_.empty() && open_.back().repeats() == repeats, step,
               repeats ? "a loop in front of it" : "the second body of a branch in front of it");
        leave(step);
        open_.back().close = id;
        found_.push_back(open_.back());
        open_.pop_back();
    }

    /// The step behind a body reads from it.
    void leave(Step const& step) {
        read(step);
        scopes_.pop_back();
    }

    void read(Step const& step) const {
        for (ValueId const input : step.inputs()) {
            if (input == ValueId::kNone) {
                continue;
            }
            ValueId const shared = program_.value(input).sharesWith;
            bool const isView =
                program_.value(input).producer() == StepId::kNone && shared != ValueId::kNone;
            Value const& value = program_.value(isView ? shared : input);
            bool const fixed = value.role == plan::TensorRole::kConstant ||
                               value.role == plan::TensorRole::kValues;
            bool const outside = open_.empty() && value.producer() == StepId::kNone;
            expect(fixed || outside || scopes_.back().count(isView ? shared : input) != 0, step,
                   "operands that its body can read");
        }
    }

    Program const& program_;
    std::vector<ControlSteps> open_;
    std::vector<std::unordered_set<ValueId>> scopes_; ///< values that steps may read
    std::vector<ControlSteps> found_;
};

} // namespace

std::vector<ControlSteps> controlSteps(Program const& program) {
    for (StepId const id : program.order()) {
        Step const& step = program.step(id);
        if (!step.isPlugin() && graph::isControl(*step.op)) {
            return Finder(program).run();
        }
    }
    return {};
}

bool entersBody(Program const& program, ValueId value) {
    Step const* const maker = program.producerOf(value);
    return maker != nullptr && !maker->isPlugin() &&
           (graph::opensBody(*maker->op) || maker->as<graph::Otherwise>() != nullptr);
}

bool isRead(Program const& program, ControlSteps const& control, std::size_t input) {
    std::vector<ValueId> seen{program.step(control.open).outputs()[input]};
    if (!control.repeats()) {
        seen.push_back(program.step(control.middle).outputs()[input]);
    }
    auto const isSeen = [&](ValueId value) {
        return std::find(seen.begin(), seen.end(), value) != seen.end();
    };
    auto const views = std::any_of(program.values().begin(), program.values().end(),
                                   [&](Value const& value) { return isSeen(value.sharesWith); });
    return views || std::any_of(seen.begin(), seen.end(), [&](ValueId value) {
               std::vector<Use> const& users = program.value(value).users();
               return std::any_of(users.begin(), users.end(), [&](Use const& use) {
                   return use.step != control.middle && use.step != control.close;
               });
           });
}

SameTensors::SameTensors(Program const& program, std::vector<ControlSteps> const& controls) {
    for (ControlSteps const& control : controls) {
        Step const& open = program.step(control.open);
        if (auto const* repeat = open.as<graph::Repeat>()) {
            std::vector<ValueId> const& results = program.step(control.close).outputs();
            for (int32_t i = 0; i < repeat->outputCount(); ++i) {
                auto const at = static_cast<std::size_t>(i);
                if (i == 0 || i >= repeat->firstShared()) {
                    outer_[open.outputs()[at]] = open.inputs()[at];
                } else if (i <= repeat->carried) {
                    outer_[open.outputs()[at]] = results[at - 1];
                }
            }
            continue;
        }
        for (std::size_t i = 0; i < open.outputs().size(); ++i) {
            outer_[open.outputs()[i]] = open.inputs()[i];
        }
        Step const& middle = program.step(control.middle);
        for (std::size_t i = 0; i < open.outputs().size(); ++i) {
            outer_[middle.outputs()[i]] = open.inputs()[i];
        }
    }
}

ValueId SameTensors::of(ValueId value) const {
    for (auto found = outer_.find(value); found != outer_.end(); found = outer_.find(value)) {
        value = found->second;
    }
    return value;
}

} // namespace kiln::compiler
