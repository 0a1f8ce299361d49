// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/sizes.h"

#include "runtime/host_values.h"

namespace kiln::runtime {

Sizes::Sizes(target::Device& device, plan::Document const& document, SizePoints const& points)
    : device_(device) {
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        for (plan::TensorId const tensor : points.writtenBy(i)) {
            slots_.emplace(tensor, Slot{slots_.size(), document.tensors[tensor].type.type});
        }
    }
    if (!slots_.empty()) {
        event_.emplace(device_);
        memory_ = static_cast<int64_t*>(device_.allocateHost(slots_.size() * sizeof(int64_t)));
    }
}

Sizes::~Sizes() {
    if (memory_ == nullptr) {
        return;
    }
    try {
        if (pending() && arrival_ == Arrival::kWithStream) {
            device_.synchronizeEvent(event_->get());
        }
    } catch (...) { // the device is lost, and its copies too
    }
    device_.releaseHost(memory_);
}

void Sizes::copy(plan::TensorId tensor, void const* from, target::StreamHandle stream) {
    Slot const& slot = slots_.at(tensor);
    device_.copy(memory_ + slot.index, from, bytesFor(slot.type, 1),
                 target::CopyKind::kDeviceToHost, stream);
}

void Sizes::expect(std::size_t step, Arrival arrival) {
    pending_.push_back(step);
    arrival_ = arrival;
}

void Sizes::mark(target::StreamHandle stream) {
    device_.record(event_->get(), stream);
}

std::vector<std::size_t> Sizes::await() {
    if (!pending() || arrival_ == Arrival::kWithGraph) {
        return pending_;
    }
    device_.synchronizeEvent(event_->get());
    return take();
}

int64_t Sizes::value(plan::TensorId tensor) const {
    Slot const& slot = slots_.at(tensor);
    int64_t size = 0;
    readValues(slot.type, memory_ + slot.index, {&size, 1});
    return size;
}

} // namespace kiln::runtime
