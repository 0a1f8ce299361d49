// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks what a control step says about its bodies and their results. That bodies read and write
// only what they may is checked with the steps, in check_steps.cpp.
#include <algorithm>

#include "plan/check.h"

namespace kiln::plan {
namespace {

class ControlCheck {
public:
    ControlCheck(Document const& document, StepRecord const& step, ErrorKind kind)
        : document_(document), step_(step), control_(*step.control), kind_(kind) {}

    /// `left`: number of steps behind this one that its bodies may take.
    void structure(std::size_t left) const {
        bool const repeats = control_.kind == ControlKind::kRepeat;
        bool const plain = step_.plugin.isNone() && step_.kernel.kernel.empty() &&
                           step_.workspaceBytes == 0 && control_.kind <= ControlKind::kBranch;
        expect(plain, "a loop or a branch, without kernel, plugin and workspace", "another");
        expect(control_.bodies.size() == (repeats ? 1U : 2U),
               repeats ? "1 body of a loop" : "2 bodies of a branch",
               fmt::format("{}", control_.bodies.size()));
        expect(isInteger(document_, control_.value), "the number of an integer expression",
               fmt::format("{}", control_.value));
        for (Body const& body : control_.bodies) {
            expect(body.steps >= 0 && static_cast<std::size_t>(body.steps) <= left,
                   fmt::format("bodies of at most the {} steps that follow", left),
                   fmt::format("{}", body.steps));
            left -= static_cast<std::size_t>(body.steps);
            for (TensorId const input : body.inputs) {
                expect(has(step_.inputs, input) || (repeats && has(step_.outputs, input)),
                       "inputs of a body among those of the control step",
                       fmt::format("tensor {}", input));
            }
            expect(
                body.outputs.size() == step_.outputs.size(),
                fmt::format("{} results of each body, one for each output", step_.outputs.size()),
                fmt::format("{}", body.outputs.size()));
        }
        expect(!repeats || step_.inputs.size() >= step_.outputs.size(),
               "an initial value for each output",
               fmt::format("{} inputs for {} outputs", step_.inputs.size(), step_.outputs.size()));
    }

    /// The numbers of all operands and results have been checked.
    void results() const {
        for (std::size_t i = 0; i < step_.outputs.size(); ++i) {
            if (control_.kind == ControlKind::kRepeat) {
                copied(step_.inputs[i], step_.outputs[i]);
            }
            for (Body const& body : control_.bodies) {
                copied(body.outputs[i], step_.outputs[i]);
                inDeviceMemory(body.outputs[i]);
                expectKept(body, i);
            }
            inDeviceMemory(step_.outputs[i]);
        }
    }

private:
    void expect(bool holds, std::string_view expected, std::string_view got) const {
        if (!holds) {
            fail(kind_, "[plan] control step '{}': expected {}, got {}. Build the plan again.",
                 step_.name, expected, got);
        }
    }

    static bool has(std::vector<TensorId> const& operands, TensorId tensor) {
        return std::find(operands.begin(), operands.end(), tensor) != operands.end();
    }

    TensorRecord const& tensor(TensorId index) const { return document_.tensors[index]; }

    /// Copies move bytes, so both tensors must have as many.
    void copied(TensorId from, TensorId to) const {
        expect(from != kAbsent, fmt::format("a tensor to copy to '{}'", tensor(to).name), "none");
        expect(tensor(from).type == tensor(to).type && tensor(from).shape == tensor(to).shape,
               fmt::format("a tensor of the type and shape of '{}'", tensor(to).name),
               fmt::format("'{}'", tensor(from).name));
    }

    void inDeviceMemory(TensorId index) const {
        TensorRole const role = tensor(index).role;
        TensorRole const memory = memoryRole(document_, index);
        expect((role == TensorRole::kInternal || role == TensorRole::kOutput) &&
                   (memory == TensorRole::kInternal || memory == TensorRole::kOutput) &&
                   !tensor(index).shapeOutput,
               "results in memory of the device that steps write",
               fmt::format("'{}'", tensor(index).name));
    }

    /// The copies at the end of a pass happen one after another.
    void expectKept(Body const& body, std::size_t result) const {
        auto const rootOf = [&](TensorId index) {
            TensorId const shared = tensor(index).sharesWith;
            return shared.isNone() ? index : shared;
        };
        bool const unchanged = body.outputs[result] == step_.outputs[result];
        for (std::size_t i = 0; i < result && !unchanged; ++i) {
            expect(rootOf(body.outputs[result]) != rootOf(step_.outputs[i]),
                   "results that the copies of other results do not overwrite",
                   fmt::format("'{}'", tensor(body.outputs[result]).name));
        }
    }

    Document const& document_;
    StepRecord const& step_;
    ControlRecord const& control_;
    ErrorKind kind_;
};

} // namespace

void checkBodies(Document const& document, StepRecord const& step, std::size_t left,
                 ErrorKind kind) {
    ControlCheck(document, step, kind).structure(left);
}

void checkResults(Document const& document, StepRecord const& step, ErrorKind kind) {
    ControlCheck(document, step, kind).results();
}

} // namespace kiln::plan
