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
        bool const plain = step_.plugin.isNone() && step_.kernel.kernel.empty() &&
                           step_.workspaceBytes == 0 && control_.kind <= ControlKind::kRequire;
        expect(plain, "a loop, a branch or a requirement, without kernel, plugin and workspace",
               "another");
        expect(control_.bodies.size() == (repeats_    ? 1U
                                          : requires_ ? 0U
                                                      : 2U),
               repeats_    ? "1 body of a loop"
               : requires_ ? "no body of a requirement"
                           : "2 bodies of a branch",
               fmt::format("{}", control_.bodies.size()));
        expect(control_.decider.isNone()
                   ? isInteger(document_, control_.value)
                   : control_.value == -1 && has(step_.inputs, control_.decider),
               "the number of an integer expression, or -1 and an input that decides",
               fmt::format("{}", control_.value));
        expect(!requires_ || step_.outputs.empty(), "no outputs of a requirement",
               fmt::format("{}", step_.outputs.size()));
        expect(control_.extents.empty() || !requires_, "extents that a loop or a branch finds",
               "those of a requirement");
        counts();
        for (Body const& own : control_.bodies) {
            expect(own.steps >= 0 && static_cast<std::size_t>(own.steps) <= left,
                   fmt::format("bodies of at most the {} steps that follow", left),
                   fmt::format("{}", own.steps));
            left -= static_cast<std::size_t>(own.steps);
            body(own);
        }
    }

    /// The numbers of all operands and results have been checked.
    void results() const {
        if (!control_.decider.isNone()) {
            decision(control_.decider, requires_);
        }
        for (std::size_t i = 0; i < control_.slices.size(); ++i) {
            slice(step_.inputs[carried() + i], control_.slices[i]);
        }
        for (std::size_t i = 0; i < step_.outputs.size(); ++i) {
            if (i < carried()) {
                copied(step_.inputs[i], step_.outputs[i]);
                expect(tensor(step_.inputs[i]).shape == tensor(step_.outputs[i]).shape,
                       fmt::format("an initial value of the shape of '{}'",
                                   tensor(step_.outputs[i]).name),
                       fmt::format("'{}'", tensor(step_.inputs[i]).name));
            }
            for (Body const& body : control_.bodies) {
                repeats_&& i >= carried() ? stacked(body.outputs[i], step_.outputs[i])
                                          : copied(body.outputs[i], step_.outputs[i]);
                inDeviceMemory(body.outputs[i]);
                expectKept(body, i);
            }
            inDeviceMemory(step_.outputs[i]);
        }
        for (Body const& body : control_.bodies) {
            if (!body.condition.isNone()) {
                decision(body.condition, false);
            }
        }
        for (FoundExtent const& extent : control_.extents) {
            TensorRecord const& size = tensor(extent.size);
            bool const known =
                extent.output >= control_.carried &&
                static_cast<std::size_t>(extent.output) < step_.outputs.size() &&
                extent.axis >= (repeats_ ? 1 : 0) &&
                extent.axis <
                    tensor(step_.outputs[static_cast<std::size_t>(extent.output)]).shape.rank;
            expect(known && size.role == TensorRole::kInternal && size.sharesWith.isNone() &&
                       size.type.type == DataType::kINT64 && size.shape.rank == 0,
                   "a size of int64 for an axis of an output", fmt::format("'{}'", size.name));
        }
    }

private:
    std::size_t carried() const { return static_cast<std::size_t>(control_.carried); }

    /// How many operands have which part in a loop.
    void counts() const {
        auto const within = [&](int32_t count, std::size_t most, std::string_view what) {
            expect(count >= 0 && static_cast<std::size_t>(count) <= (repeats_ ? most : 0),
                   fmt::format("0 to {} {}", repeats_ ? most : 0, what), fmt::format("{}", count));
        };
        within(control_.carried, std::min(step_.inputs.size(), step_.outputs.size()),
               "carried values, each with an initial value and an output");
        within(static_cast<int32_t>(control_.slices.size()), step_.inputs.size() - carried(),
               "slices, one for each input behind the initial values");
        within(control_.backward, control_.slices.size(), "slices from the end");
        within(control_.reversed, step_.outputs.size() - carried(), "outputs from the end");
    }

    void body(Body const& body) const {
        for (TensorId const input : body.inputs) {
            auto const current = std::find(step_.outputs.begin(), step_.outputs.end(), input);
            bool const known =
                has(step_.inputs, input) || has(control_.slices, input) ||
                static_cast<std::size_t>(current - step_.outputs.begin()) < carried();
            expect(known, "inputs of a body among those of the control step",
                   fmt::format("tensor {}", input));
        }
        expect(body.outputs.size() == step_.outputs.size(),
               fmt::format("{} results of each body, one for each output", step_.outputs.size()),
               fmt::format("{}", body.outputs.size()));
        bool const tests = repeats_ && !body.condition.isNone();
        expect(body.testedAfter >= 0 && body.testedAfter <= (tests ? body.steps : 0) &&
                   (tests || body.condition.isNone()),
               "a test within a body of a loop", fmt::format("{}", body.testedAfter));
    }

    /// What the host reads to decide.
    void decision(TensorId index, bool many) const {
        TensorRecord const& own = tensor(index);
        auto const isOne = [&](graph::ExprRef extent) {
            graph::ExprNode const& node = document_.exprs[static_cast<std::size_t>(extent)];
            return node.op == graph::ExprOp::kConstant && node.value == 1;
        };
        bool const scalar =
            own.shape.rank == 0 || (own.shape.rank == 1 && (many || isOne(own.shape[0])));
        bool const counts = own.type.type == DataType::kINT32 ||
                            own.type.type == DataType::kINT64 || own.type.type == DataType::kBOOL;
        expect(scalar && counts && own.type.format == TensorFormat::kLINEAR,
               "integers or truth values to decide by", fmt::format("'{}'", own.name));
    }

    void slice(TensorId whole, TensorId part) const {
        expect(whole != kAbsent && tensor(part).role == TensorRole::kInternal &&
                   tensor(part).sharesWith.isNone() && areSlices(part, whole),
               "a slice of an input in memory of its own", fmt::format("'{}'", tensor(part).name));
    }

    void stacked(TensorId part, TensorId whole) const {
        expect(part != kAbsent && areSlices(part, whole),
               fmt::format("a tensor to stack in '{}'", tensor(whole).name),
               part == kAbsent ? "none" : fmt::format("'{}'", tensor(part).name));
    }

    /// Extents are compared when they are known.
    bool areSlices(TensorId part, TensorId whole) const {
        return tensor(part).type == tensor(whole).type &&
               tensor(part).type.format == TensorFormat::kLINEAR &&
               tensor(part).shape.rank + 1 == tensor(whole).shape.rank;
    }

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

    /// Copies move bytes. That both tensors have as many is checked when extents are known.
    void copied(TensorId from, TensorId to) const {
        expect(from != kAbsent, fmt::format("a tensor to copy to '{}'", tensor(to).name), "none");
        expect(tensor(from).type == tensor(to).type &&
                   tensor(from).shape.rank == tensor(to).shape.rank,
               fmt::format("a tensor of the type and rank of '{}'", tensor(to).name),
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
    bool const repeats_ = control_.kind == ControlKind::kRepeat;
    bool const requires_ = control_.kind == ControlKind::kRequire;
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
