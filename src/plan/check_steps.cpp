// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the steps in order: each reads tensors that exist by then and writes each tensor only
// once.
#include <algorithm>

#include "plan/check.h"

namespace kiln::plan {
namespace {

class StepCheck {
public:
    StepCheck(Document const& document, ErrorKind kind)
        : document_(document), kind_(kind), taken_(document.plugins.size(), false) {
        for (TensorRecord const& tensor : document.tensors) {
            ready_.push_back(tensor.role == TensorRole::kInput ||
                             tensor.role == TensorRole::kConstant ||
                             tensor.role == TensorRole::kValues);
        }
        findViews();
    }

    void step(StepRecord const& step) {
        for (int32_t const index : step.inputs) {
            if (index == kAbsent && step.plugin == -1) {
                continue;
            }
            if (!inRange(index) || !ready_[static_cast<std::size_t>(index)]) {
                fail(kind_,
                     "[plan] step '{}': expected to read inputs, constants and outputs of earlier "
                     "steps, got tensor {}. Build the plan again.",
                     step.name, index);
            }
        }
        for (int32_t const index : step.outputs) {
            if (!inRange(index) || ready_[static_cast<std::size_t>(index)] || isInInput(index)) {
                fail(kind_,
                     "[plan] step '{}': expected to write tensors that no other step writes, and "
                     "neither input nor constant, got tensor {}. Build the plan again.",
                     step.name, index);
            }
            ready_[static_cast<std::size_t>(index)] = true;
            for (std::size_t const view : views_[rootOf(static_cast<std::size_t>(index))]) {
                ready_[view] = true;
            }
        }
        checkPacked(step);
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
    /// Tensors that share memory and that no step writes: they are ready when the memory is.
    void findViews() {
        std::vector<bool> written(ready_.size(), false);
        for (StepRecord const& step : document_.steps) {
            for (int32_t const index : step.outputs) {
                if (inRange(index)) {
                    written[static_cast<std::size_t>(index)] = true;
                }
            }
        }
        views_.resize(ready_.size());
        for (std::size_t i = 0; i < ready_.size(); ++i) {
            if (!written[i] && !ready_[i]) {
                views_[rootOf(i)].push_back(i);
                ready_[i] = document_.tensors[rootOf(i)].role == TensorRole::kInput;
            }
        }
    }

    /// checkTensors() has checked the numbers.
    std::size_t rootOf(std::size_t index) const {
        int32_t const shared = document_.tensors[index].sharesWith;
        return shared < 0 ? index : static_cast<std::size_t>(shared);
    }

    bool isInInput(int32_t index) const {
        return document_.tensors[rootOf(static_cast<std::size_t>(index))].role ==
               TensorRole::kInput;
    }

    bool inRange(int32_t index) const {
        return index >= 0 && static_cast<std::size_t>(index) < ready_.size();
    }

    /// All but kernels, which check it when they are loaded, read constants in their public format.
    void checkPacked(StepRecord const& step) const {
        bool const host =
            std::any_of(step.outputs.begin(), step.outputs.end(), [&](int32_t output) {
                return document_.tensors[static_cast<std::size_t>(output)].shapeOutput;
            });
        for (int32_t const input : step.inputs) {
            if (input == kAbsent) {
                continue;
            }
            TensorRecord const& tensor = document_.tensors[static_cast<std::size_t>(input)];
            if (tensor.type.tag != 0 && (step.plugin != -1 || host)) {
                fail(kind_,
                     "[plan] step '{}': expected '{}' in a public format, got order {} of a "
                     "kernel's own. Build the plan again.",
                     step.name, tensor.name, tensor.type.tag);
            }
        }
    }

    void checkWork(StepRecord const& step) {
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
        checkProfilePlugins(step);
        checkUsedOnce(step);
        checkDeclared(step);
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

    /// The plugins of a step must agree in id, style and language, because the runtime checks only
    /// the first.
    bool isSame(int32_t first, int32_t other) const {
        if (other < 0 || other >= static_cast<int64_t>(document_.plugins.size())) {
            return false;
        }
        plugin::PluginRecord const& a = document_.plugins[static_cast<std::size_t>(first)];
        plugin::PluginRecord const& b = document_.plugins[static_cast<std::size_t>(other)];
        return a.style == b.style && a.id == b.id && a.needsPython == b.needsPython;
    }

    void checkProfilePlugins(StepRecord const& step) const {
        if (step.profilePlugins.empty()) {
            return;
        }
        bool const sound = step.plugin >= 0 &&
                           step.profilePlugins.size() == document_.profiles.size() &&
                           step.profilePlugins.front() == step.plugin &&
                           std::all_of(step.profilePlugins.begin(), step.profilePlugins.end(),
                                       [&](int32_t other) { return isSame(step.plugin, other); });
        if (!sound) {
            fail(kind_,
                 "[plan] step '{}': expected the number of a plugin of one name and style for each "
                 "of {} profiles, or none, got {} numbers. Build the plan again.",
                 step.name, document_.profiles.size(), step.profilePlugins.size());
        }
    }

    void checkUsedOnce(StepRecord const& step) {
        for (int32_t const plugin : step.plugins()) {
            if (taken_[static_cast<std::size_t>(plugin)]) {
                fail(kind_,
                     "[plan] step '{}': expected a plugin that no other step uses, got number {}. "
                     "Build the plan again.",
                     step.name, plugin);
            }
            taken_[static_cast<std::size_t>(plugin)] = true;
        }
    }

    void checkDeclared(StepRecord const& step) const {
        auto const plain = static_cast<int64_t>(step.inputs.size()) - step.shapeInputs;
        bool const sound =
            static_cast<int64_t>(step.declared.size()) == (step.plugin < 0 ? 0 : plain) &&
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

    Document const& document_;
    ErrorKind kind_;
    std::vector<bool> ready_;
    std::vector<std::vector<std::size_t>> views_; ///< by the tensor whose memory they use
    std::vector<bool> taken_;                     ///< by plugin index: whether a step uses it
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
