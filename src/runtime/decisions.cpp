// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/decisions.h"

#include <algorithm>

#include "runtime/host_values.h"

namespace kiln::runtime {

Decisions::Decisions(target::Device& device, plan::Document const& document,
                     Table<plan::TensorId, uint64_t> const& capacity)
    : device_(device) {
    uint64_t bytes = 0;
    auto const want = [&](plan::TensorId tensor) {
        if (!tensor.isNone()) {
            bytes = std::max({bytes, capacity[tensor], uint64_t{sizeof(int64_t)}});
        }
    };
    for (plan::StepRecord const& step : document.steps) {
        if (step.control.has_value()) {
            want(step.control->decider);
            for (plan::Body const& body : step.control->bodies) {
                want(body.condition);
            }
        }
    }
    if (bytes > 0) {
        elements_.reserve(bytes);
        memory_ = device_.allocateHost(bytes);
    }
}

Decisions::~Decisions() {
    if (memory_ != nullptr) {
        device_.releaseHost(memory_);
    }
}

int64_t Decisions::number(DataType type, void const* from, target::StreamHandle stream) {
    read(type, from, 1, stream);
    return elements_.front();
}

bool Decisions::holds(DataType type, void const* from, int64_t count, target::StreamHandle stream) {
    read(type, from, static_cast<std::size_t>(count), stream);
    return std::find(elements_.begin(), elements_.end(), 0) == elements_.end();
}

void Decisions::read(DataType type, void const* from, std::size_t count,
                     target::StreamHandle stream) {
    elements_.resize(count);
    if (count == 0) {
        return;
    }
    device_.copy(memory_, from, bytesFor(type, static_cast<int64_t>(count)),
                 target::CopyKind::kDeviceToHost, stream);
    device_.synchronize(stream);
    readValues(type, memory_, elements_);
}

} // namespace kiln::runtime
