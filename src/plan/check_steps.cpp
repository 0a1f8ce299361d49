// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Steps in order: each reads what exists by then and writes what nobody wrote before.
#include "plan/check.h"

namespace kiln::plan {
namespace {

class StepCheck {
public:
    StepCheck(Document const& document, ErrorKind kind) : document_(document), kind_(kind) {
        for (TensorRecord const& tensor : document.tensors) {
            ready_.push_back(tensor.role == TensorRole::kInput ||
                             tensor.role == TensorRole::kConstant ||
                             tensor.role == TensorRole::kValues);
        }
    }

    void step(StepRecord const& step) {
        for (int32_t const index : step.inputs) {
            if (!inRange(index) || !ready_[static_cast<std::size_t>(index)]) {
                fail(kind_,
                     "[plan] step '{}': expected to read inputs, constants and outputs of earlier "
                     "steps, got tensor {}. Build the plan again.",
                     step.name, index);
            }
        }
        for (int32_t const index : step.outputs) {
            if (!inRange(index) || ready_[static_cast<std::size_t>(index)]) {
                fail(kind_,
                     "[plan] step '{}': expected to write tensors that no other step writes, and "
                     "neither input nor constant, got tensor {}. Build the plan again.",
                     step.name, index);
            }
            ready_[static_cast<std::size_t>(index)] = true;
        }
        if (step.outputs.empty()) {
            fail(kind_,
                 "[plan] step '{}': expected 1 or more outputs, got 0. Build the plan "
                 "again.",
                 step.name);
        }
        checkWork(step);
    }

    void finish() const {
        for (std::size_t i = 0; i < ready_.size(); ++i) {
            if (!ready_[i]) {
                fail(kind_,
                     "[plan] tensor '{}': expected a step that writes it, got none. Build the plan "
                     "again.",
                     document_.tensors[i].name);
            }
        }
    }

private:
    bool inRange(int32_t index) const {
        return index >= 0 && static_cast<std::size_t>(index) < ready_.size();
    }

    void checkWork(StepRecord const& step) const {
        if (step.plugin < -1 || step.plugin >= static_cast<int64_t>(document_.plugins.size())) {
            fail(kind_,
                 "[plan] step '{}': expected a plugin number below {}, or -1 for a kernel, got {}. "
                 "Build the plan again.",
                 step.name, document_.plugins.size(), step.plugin);
        }
        if (step.shapeInputs < 0 ||
            step.shapeInputs > static_cast<int64_t>(step.plugin < 0 ? 0 : step.inputs.size())) {
            fail(kind_,
                 "[plan] step '{}': expected at most as many shape inputs as the plugin has "
                 "inputs, got {}. Build the plan again.",
                 step.name, step.shapeInputs);
        }
        if (step.plugin == -1 && step.kernel.kernel.empty()) {
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

    Document const& document_;
    ErrorKind kind_;
    std::vector<bool> ready_;
};

} // namespace

void checkSteps(Document const& document, ErrorKind kind) {
    StepCheck check(document, kind);
    for (StepRecord const& step : document.steps) {
        check.step(step);
    }
    check.finish();
}

} // namespace kiln::plan
