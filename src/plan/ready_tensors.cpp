// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/ready_tensors.h"

#include <algorithm>

namespace kiln::plan {

ReadyTensors::ReadyTensors(Document const& document) : document_(document) {
    for (TensorRecord const& tensor : document.tensors) {
        bool const fixed =
            tensor.role == TensorRole::kConstant || tensor.role == TensorRole::kValues;
        ready_.push_back(fixed || tensor.role == TensorRole::kInput);
        home_.push_back(fixed ? kEverywhere : 0);
    }
    findViews();
}

/// Tensors that share memory and that no step writes: they are ready when the memory is.
void ReadyTensors::findViews() {
    std::vector<bool> written(ready_.size(), false);
    for (StepRecord const& step : document_.steps) {
        for (int32_t const index : step.outputs) {
            if (inRange(index)) {
                written[static_cast<std::size_t>(index)] = true;
            }
        }
    }
    views_.resize(ready_.size());
    isView_.resize(ready_.size(), false);
    for (std::size_t i = 0; i < ready_.size(); ++i) {
        if (!written[i] && !ready_[i]) {
            auto const root = static_cast<std::size_t>(rootOf(static_cast<int32_t>(i)));
            isView_[i] = true;
            views_[root].push_back(static_cast<int32_t>(i));
            ready_[i] = document_.tensors[root].role == TensorRole::kInput;
        }
    }
}

int32_t ReadyTensors::rootOf(int32_t tensor) const {
    int32_t const shared = document_.tensors[static_cast<std::size_t>(tensor)].sharesWith;
    return shared < 0 ? tensor : shared;
}

bool ReadyTensors::isVisible(int32_t tensor, Scope const& scope) const {
    int32_t const home = home_[static_cast<std::size_t>(tensor)];
    return home == kEverywhere || home == scope.number || scope.inputs.count(tensor) != 0;
}

bool ReadyTensors::canRead(int32_t tensor, Scope const& scope) const {
    if (!inRange(tensor) || !ready_[static_cast<std::size_t>(tensor)]) {
        return false;
    }
    int32_t const root = rootOf(tensor);
    return isVisible(tensor, scope) ||
           (isView_[static_cast<std::size_t>(tensor)] &&
            (isVisible(root, scope) || scope.memories.count(root) != 0));
}

bool ReadyTensors::canWrite(int32_t tensor) const {
    return inRange(tensor) && !ready_[static_cast<std::size_t>(tensor)] &&
           document_.tensors[static_cast<std::size_t>(rootOf(tensor))].role != TensorRole::kInput;
}

void ReadyTensors::write(int32_t tensor, Scope const& scope) {
    auto const note = [&](int32_t written) {
        ready_[static_cast<std::size_t>(written)] = true;
        home_[static_cast<std::size_t>(written)] = scope.number;
    };
    note(tensor);
    std::vector<int32_t> const& views = views_[static_cast<std::size_t>(rootOf(tensor))];
    std::for_each(views.begin(), views.end(), note);
}

int32_t ReadyTensors::firstMissing() const {
    auto const missing = std::find(ready_.begin(), ready_.end(), false);
    return missing == ready_.end() ? -1 : static_cast<int32_t>(missing - ready_.begin());
}

} // namespace kiln::plan
