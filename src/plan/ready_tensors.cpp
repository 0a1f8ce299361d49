// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/ready_tensors.h"

#include <algorithm>

namespace kiln::plan {

ReadyTensors::ReadyTensors(Document const& document) : document_(document) {
    for (TensorRecord const& tensor : document.tensors) {
        bool const fixed =
            tensor.role == TensorRole::kConstant || tensor.role == TensorRole::kValues;
        ready_.add(fixed || tensor.role == TensorRole::kInput);
        home_.add(fixed ? kEverywhere : 0);
    }
    findViews();
}

/// Tensors that share memory and that no step writes: they are ready when the memory is.
void ReadyTensors::findViews() {
    Table<TensorId, bool> written(ready_.size(), false);
    auto const note = [&](std::vector<TensorId> const& tensors) {
        for (TensorId const index : tensors) {
            if (inRange(index)) {
                written[index] = true;
            }
        }
    };
    for (StepRecord const& step : document_.steps) {
        note(step.outputs);
        if (step.control.has_value()) {
            note(step.control->slices);
            for (FoundExtent const& extent : step.control->extents) {
                note({extent.size});
            }
        }
    }
    views_.resize(ready_.size());
    isView_.resize(ready_.size(), false);
    for (TensorId const i : ready_.ids()) {
        if (!written[i] && !ready_[i]) {
            TensorId const root = rootOf(i);
            isView_[i] = true;
            views_[root].push_back(i);
            ready_[i] = document_.tensors[root].role == TensorRole::kInput;
        }
    }
}

TensorId ReadyTensors::rootOf(TensorId tensor) const {
    TensorId const shared = document_.tensors[tensor].sharesWith;
    return shared.isNone() ? tensor : shared;
}

bool ReadyTensors::isVisible(TensorId tensor, Scope const& scope) const {
    int32_t const home = home_[tensor];
    return home == kEverywhere || home == scope.number || scope.inputs.count(tensor) != 0;
}

bool ReadyTensors::canRead(TensorId tensor, Scope const& scope) const {
    if (!inRange(tensor) || !ready_[tensor]) {
        return false;
    }
    TensorId const root = rootOf(tensor);
    return isVisible(tensor, scope) ||
           (isView_[tensor] && (isVisible(root, scope) || scope.memories.count(root) != 0));
}

bool ReadyTensors::canWrite(TensorId tensor) const {
    return inRange(tensor) && !ready_[tensor] &&
           document_.tensors[rootOf(tensor)].role != TensorRole::kInput;
}

void ReadyTensors::write(TensorId tensor, Scope const& scope) {
    auto const note = [&](TensorId written) {
        ready_[written] = true;
        home_[written] = scope.number;
    };
    note(tensor);
    std::vector<TensorId> const& views = views_[rootOf(tensor)];
    std::for_each(views.begin(), views.end(), note);
}

TensorId ReadyTensors::firstMissing() const {
    auto const missing = std::find(ready_.begin(), ready_.end(), false);
    return missing == ready_.end() ? kAbsent
                                   : TensorId::of(static_cast<int32_t>(missing - ready_.begin()));
}

} // namespace kiln::plan
