// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the steps in order: each reads tensors that exist by then and writes each tensor only
// once. A control step is checked with its bodies.
#include <algorithm>
#include <cmath>

#include "plan/check.h"
#include "plan/ready_tensors.h"

namespace kiln::plan {
namespace {

class StepCheck {
public:
    StepCheck(Document const& document, ErrorKind kind)
        : document_(document), kind_(kind), ready_(document),
          taken_(document.plugins.size(), false) {}

    void run() {
        steps(0, document_.steps.size(), {});
        if (TensorId const missing = ready_.firstMissing(); !missing.isNone()) {
            fail(kind_,
                 "[plan] tensor '{}': expected a step that writes it, got none. Build the plan "
                 "again.",
                 document_.tensors[missing].name);
        }
    }

private:
    using Scope = ReadyTensors::Scope;

    void steps(std::size_t first, std::size_t last, Scope const& scope) {
        while (first < last) {
            StepRecord const& record = document_.steps[first++];
            if (!record.control.has_value()) {
                step(record, scope);
                continue;
            }
            checkBodies(document_, record, last - first, kind_);
            controlStep(record, first, scope);
            first += record.control->steps();
        }
    }

    void step(StepRecord const& step, Scope const& scope) {
        for (TensorId const index : step.inputs) {
            if (index != kAbsent || !step.plugin.isNone()) {
                expectRead(step, index, scope);
            }
        }
        for (TensorId const index : step.outputs) {
            write(step, index, scope);
            expectInside(step, index, scope);
        }
        checkPacked(step);
        checkWork(step);
    }

    /// `first`: the first step of its bodies.
    void controlStep(StepRecord const& step, std::size_t first, Scope const& scope) {
        for (TensorId const index : step.inputs) {
            expectRead(step, index, scope);
        }
        bool const repeats = step.control->kind == ControlKind::kRepeat;
        if (repeats) { // the body reads the carried outputs, from the first pass on
            writeAll(step, scope);
        }
        for (TensorId const slice : step.control->slices) {
            write(step, slice, scope);
        }
        if (++depth_ > kMostNestedBodies) {
            fail(kind_,
                 "[plan] control step '{}': expected bodies that lie at most {} deep in others, "
                 "got more. Build the plan again.",
                 step.name, kMostNestedBodies);
        }
        for (Body const& body : step.control->bodies) {
            Scope inside{++scopes_, {}, {}};
            for (TensorId const index : body.inputs) {
                expectRead(step, index, scope);
                inside.inputs.insert(index);
                inside.memories.insert(ready_.rootOf(index));
            }
            auto const tested = static_cast<std::size_t>(body.testedAfter);
            auto const count = static_cast<std::size_t>(body.steps);
            steps(first, first + tested, inside);
            if (!body.condition.isNone()) {
                expectRead(step, body.condition, inside);
            }
            steps(first + tested, first + count, inside);
            first += count;
            for (TensorId const index : body.outputs) {
                expectRead(step, index, inside);
            }
        }
        --depth_;
        if (!repeats) {
            writeAll(step, scope);
        }
        for (FoundExtent const& extent : step.control->extents) {
            write(step, extent.size, scope);
        }
        checkPacked(step);
        checkWork(step);
        checkResults(document_, step, kind_);
    }

    void expectRead(StepRecord const& step, TensorId index, Scope const& scope) const {
        if (!ready_.canRead(index, scope)) {
            fail(kind_,
                 "[plan] step '{}': expected to read inputs, constants and outputs of earlier "
                 "steps{}, got tensor {}. Build the plan again.",
                 step.name, scope.number == 0 ? "" : " of its body or among the body's inputs",
                 index);
        }
    }

    void write(StepRecord const& step, TensorId index, Scope const& scope) {
        if (!ready_.canWrite(index)) {
            fail(kind_,
                 "[plan] step '{}': expected to write tensors that no other step writes, and "
                 "neither input nor constant, got tensor {}. Build the plan again.",
                 step.name, index);
        }
        ready_.write(index, scope);
    }

    void writeAll(StepRecord const& step, Scope const& scope) {
        for (TensorId const index : step.outputs) {
            write(step, index, scope);
            expectInside(step, index, scope);
        }
    }

    /// A body may not run at all, so outputs of the network are written outside.
    void expectInside(StepRecord const& step, TensorId index, Scope const& scope) const {
        if (scope.number != 0 && memoryRole(document_, index) != TensorRole::kInternal) {
            fail(kind_,
                 "[plan] step '{}': expected to write internal tensors, since it lies in a loop or "
                 "a branch, got '{}'. Build the plan again.",
                 step.name, document_.tensors[index].name);
        }
    }

    /// Only kernels, which check it when they are loaded, have operands in an order of the
    /// target's.
    void checkPacked(StepRecord const& step) const {
        bool const host =
            std::any_of(step.outputs.begin(), step.outputs.end(),
                        [&](TensorId output) { return document_.tensors[output].shapeOutput; });
        bool const takesTags = step.isKernel() && !host;
        std::vector<TensorId> operands = step.inputs;
        operands.insert(operands.end(), step.outputs.begin(), step.outputs.end());
        for (TensorId const operand : operands) {
            if (operand == kAbsent) {
                continue;
            }
            TensorRecord const& tensor = document_.tensors[operand];
            if (tensor.type.tag != 0 && !takesTags) {
                fail(kind_,
                     "[plan] step '{}': expected '{}' in a public format, got order {} of the "
                     "target's own. Build the plan again.",
                     step.name, tensor.name, tensor.type.tag);
            }
        }
    }

    void checkWork(StepRecord const& step) {
        bool const isRequirement =
            step.control.has_value() && step.control->kind == ControlKind::kRequire;
        if (step.outputs.empty() && !isRequirement) {
            fail(kind_,
                 "[plan] step '{}': expected 1 or more outputs, got 0. Build the plan "
                 "again.",
                 step.name);
        }
        if (step.plugin != PluginIndex() && !document_.plugins.has(step.plugin)) {
            fail(kind_,
                 "[plan] step '{}': expected a plugin number below {}, or -1 for a kernel, got {}. "
                 "Build the plan again.",
                 step.name, document_.plugins.size(), step.plugin);
        }
        if (step.shapeInputs < 0 ||
            step.shapeInputs >
                static_cast<int64_t>(step.plugin.isNone() ? 0 : step.inputs.size())) {
            fail(kind_,
                 "[plan] step '{}': expected at most as many shape inputs as the plugin has "
                 "inputs, got {}. Build the plan again.",
                 step.name, step.shapeInputs);
        }
        checkOtherKernels(document_, step, kind_);
        checkProfileWorkspaces(step);
        checkProfilePlugins(step);
        checkUsedOnce(step);
        checkDeclared(step);
        checkCandidates(step);
        if (step.isKernel() && step.kernel.kernel.empty()) {
            fail(kind_,
                 "[plan] step '{}': expected the name of a kernel, got none. Build the plan "
                 "again.",
                 step.name);
        }
        if (step.workspaceBytes > 0 &&
            !fitsAligned(step.workspaceOffset, step.workspaceBytes, document_.arenaBytes)) {
            fail(kind_,
                 "[plan] step '{}': expected an aligned workspace in the arena of {} bytes, got {} "
                 "bytes at offset {}. Build the plan again.",
                 step.name, document_.arenaBytes, step.workspaceBytes, step.workspaceOffset);
        }
    }

    void checkProfileWorkspaces(StepRecord const& step) const {
        bool const fits = std::all_of(step.profileWorkspaces.begin(), step.profileWorkspaces.end(),
                                      [&](uint64_t own) { return own <= step.workspaceBytes; });
        bool const complete = step.profileWorkspaces.empty() ||
                              step.profileWorkspaces.size() == document_.profiles.size();
        if (!fits || !complete) {
            fail(kind_,
                 "[plan] step '{}': expected the bytes of a workspace for each of {} profiles, at "
                 "most {}, got {} numbers. Build the plan again.",
                 step.name, document_.profiles.size(), step.workspaceBytes,
                 step.profileWorkspaces.size());
        }
    }

    /// The plugins of a step must agree in id, style and language, because the runtime checks only
    /// the first.
    bool isSame(PluginIndex first, PluginIndex other) const {
        if (!document_.plugins.has(other)) {
            return false;
        }
        plugin::PluginRecord const& a = document_.plugins[first];
        plugin::PluginRecord const& b = document_.plugins[other];
        return a.style == b.style && a.id == b.id && a.needsPython == b.needsPython;
    }

    void checkProfilePlugins(StepRecord const& step) const {
        if (step.profilePlugins.empty()) {
            return;
        }
        bool const sound =
            !step.plugin.isNone() && step.profilePlugins.size() == document_.profiles.size() &&
            step.profilePlugins.front() == step.plugin &&
            std::all_of(step.profilePlugins.begin(), step.profilePlugins.end(),
                        [&](PluginIndex other) { return isSame(step.plugin, other); });
        if (!sound) {
            fail(kind_,
                 "[plan] step '{}': expected the number of a plugin of one name and style for each "
                 "of {} profiles, or none, got {} numbers. Build the plan again.",
                 step.name, document_.profiles.size(), step.profilePlugins.size());
        }
    }

    void checkUsedOnce(StepRecord const& step) {
        for (PluginIndex const plugin : step.plugins()) {
            if (taken_[plugin]) {
                fail(kind_,
                     "[plan] step '{}': expected a plugin that no other step uses, got number {}. "
                     "Build the plan again.",
                     step.name, plugin);
            }
            taken_[plugin] = true;
        }
    }

    void checkDeclared(StepRecord const& step) const {
        auto const plain = static_cast<int64_t>(step.inputs.size()) - step.shapeInputs;
        bool const sound =
            static_cast<int64_t>(step.declared.size()) == (step.plugin.isNone() ? 0 : plain) &&
            std::all_of(step.declared.begin(), step.declared.end(), [](DataType type) {
                return static_cast<int32_t>(type) >= 0 &&
                       static_cast<int32_t>(type) < nvinfer1::EnumMax<DataType>();
            });
        if (!sound) {
            fail(kind_,
                 "[plan] step '{}': expected a known type for each input of a plugin but its shape "
                 "inputs, got {} types. Build the plan again.",
                 step.name, step.declared.size());
        }
    }

    void checkCandidates(StepRecord const& step) const {
        bool const sound = step.candidates.size() <= kMostCandidates &&
                           std::all_of(step.candidates.begin(), step.candidates.end(),
                                       [](CandidateRecord const& one) {
                                           return !one.kernel.empty() &&
                                                  one.refusal.size() <= kMostRefusalBytes &&
                                                  std::isfinite(one.seconds) && one.seconds >= 0.0;
                                       });
        if (!sound) {
            fail(
                kind_,
                "[plan] step '{}': expected at most {} candidates, each with a name, a finite time "
                "of 0 or more and a refusal of at most {} bytes, got {} candidates. Build the "
                "plan again.",
                step.name, kMostCandidates, kMostRefusalBytes, step.candidates.size());
        }
    }

    Document const& document_;
    ErrorKind kind_;
    ReadyTensors ready_;
    Table<PluginIndex, bool> taken_; ///< whether a step uses the plugin
    int32_t scopes_ = 0;             ///< number of bodies so far
    std::size_t depth_ = 0;          ///< number of bodies around the current step
};

} // namespace

void checkSteps(Document const& document, ErrorKind kind) {
    StepCheck(document, kind).run();
}

} // namespace kiln::plan
