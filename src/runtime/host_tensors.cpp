// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_tensors.h"

#include <algorithm>

#include "runtime/host_step.h"
#include "runtime/plan_shapes.h"

namespace kiln::runtime {

HostTensors::HostTensors(plan::Document const& document, std::vector<uint64_t> const& capacity,
                         target::Device& device)
    : document_(document), capacity_(capacity), device_(device),
      user_(document.tensors.size(), false), values_(document) {
    std::vector<int32_t> const byValue = valueInputs(document);
    for (std::size_t i = 0; i < document.tensors.size(); ++i) {
        plan::TensorRecord const& record = document.tensors[i];
        user_[i] = record.shapeOutput ||
                   (record.role == plan::TensorRole::kInput && knownOnHost(record, byValue));
    }
    if (device.isHost()) {
        return;
    }
    for (plan::StepRecord const& step : document.steps) {
        for (int32_t const input : step.inputs) {
            if (input == plan::kAbsent) {
                continue;
            }
            plan::TensorRecord const& record = document.tensors[static_cast<std::size_t>(input)];
            if (record.role != plan::TensorRole::kConstant && knownOnHost(record, byValue)) {
                copies_.want(input, capacity[static_cast<std::size_t>(input)]);
            }
        }
    }
    copies_.allocate(device);
}

void* HostTensors::fixedInput(plan::StepRecord const& step, std::size_t input) const {
    if (device_.isHost()) {
        return nullptr;
    }
    int32_t const tensor = step.inputs[input];
    plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
    bool const readOnHost = isHostStep(document_, step) || isHostOperand(document_, step, input);
    if (record.role == plan::TensorRole::kConstant) {
        return readOnHost ? const_cast<std::byte*>(record.data.data()) : nullptr;
    }
    return !readOnHost && copies_.wanted(tensor) ? copies_.of(tensor) : nullptr;
}

void HostTensors::write(std::span<int64_t const> values) {
    values_.write(values);
    for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
        stage(static_cast<int32_t>(i));
    }
}

void HostTensors::write(std::span<int64_t const> values, std::span<int32_t const> tensors) {
    for (int32_t const tensor : tensors) {
        values_.write(values, tensor);
        stage(tensor);
    }
}

void HostTensors::stage(int32_t tensor) {
    auto const index = static_cast<std::size_t>(tensor);
    if (document_.tensors[index].role == plan::TensorRole::kValues) {
        copies_.set(tensor, values_.of(tensor), capacity_[index]);
    }
}

} // namespace kiln::runtime
