// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_tensors.h"

#include <algorithm>

#include "runtime/host_step.h"
#include "runtime/plan_shapes.h"

namespace kiln::runtime {

HostTensors::HostTensors(plan::Document const& document,
                         Table<plan::TensorId, uint64_t> const& capacity, target::Device& device)
    : document_(document), capacity_(capacity), device_(device),
      user_(document.tensors.size(), false), values_(document) {
    std::vector<int32_t> const byValue = valueInputs(document);
    for (plan::TensorId const i : document.tensors.ids()) {
        plan::TensorRecord const& record = document.tensors[i];
        user_[i] = record.shapeOutput ||
                   (record.role == plan::TensorRole::kInput && knownOnHost(record, byValue));
    }
    if (device.isHost()) {
        return;
    }
    for (plan::StepRecord const& step : document.steps) {
        for (plan::TensorId const input : step.inputs) {
            if (input == plan::kAbsent) {
                continue;
            }
            plan::TensorRecord const& record = document.tensors[input];
            if (record.role != plan::TensorRole::kConstant && knownOnHost(record, byValue)) {
                copies_.want(input, capacity[input]);
            }
        }
    }
    copies_.allocate(device);
}

void* HostTensors::fixedInput(plan::StepRecord const& step, std::size_t input) const {
    if (device_.isHost()) {
        return nullptr;
    }
    plan::TensorId const tensor = step.inputs[input];
    plan::TensorRecord const& record = document_.tensors[tensor];
    bool const readOnHost = isHostStep(document_, step) || isHostOperand(document_, step, input);
    if (record.role == plan::TensorRole::kConstant) {
        return readOnHost ? const_cast<std::byte*>(record.data.data()) : nullptr;
    }
    return !readOnHost && copies_.wanted(tensor) ? copies_.of(tensor) : nullptr;
}

void HostTensors::write(std::span<int64_t const> values) {
    values_.write(values);
    for (plan::TensorId const i : document_.tensors.ids()) {
        stage(i);
    }
}

void HostTensors::write(std::span<int64_t const> values, std::span<plan::TensorId const> tensors) {
    for (plan::TensorId const tensor : tensors) {
        values_.write(values, tensor);
        stage(tensor);
    }
}

void HostTensors::stage(plan::TensorId tensor) {
    if (document_.tensors[tensor].role == plan::TensorRole::kValues) {
        copies_.set(tensor, values_.of(tensor), capacity_[tensor]);
    }
}

} // namespace kiln::runtime
