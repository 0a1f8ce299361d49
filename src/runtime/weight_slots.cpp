// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/weight_slots.h"

#include <algorithm>

#include "runtime/control.h"

namespace kiln::runtime {

WeightSlots::WeightSlots(WeightStreaming& weights, plan::Document const& document,
                         target::Device& device)
    : weights_(weights), use_(weights), document_(document), device_(device),
      readerOf_(document.steps.size(), -1), bytes_(weights.scratchBytes()) {
    if (bytes_ == 0) {
        return;
    }
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        plan::StepRecord const& step = document.steps[i];
        Reader reader{i, readers_.size() % 2, {}};
        bool streams = false;
        for (std::size_t number = 0; number < step.kernelCount(); ++number) {
            std::size_t offset = 0;
            reader.parts.emplace_back();
            for (plan::TensorId const tensor : weights.readBy(step, number)) {
                if (weights.address(tensor) != nullptr) {
                    continue;
                }
                std::vector<Part>& parts = reader.parts.back();
                auto const same = std::find_if(parts.begin(), parts.end(), [&](Part const& part) {
                    return weights.areSame(part.tensor, tensor);
                });
                streams = true;
                if (same != parts.end()) {
                    parts.push_back({tensor, same->offset, false});
                } else {
                    parts.push_back({tensor, offset, true});
                    offset += weights.paddedBytes(tensor);
                }
            }
        }
        if (streams) {
            readerOf_[i] = static_cast<int32_t>(readers_.size());
            readers_.push_back(std::move(reader));
        }
    }
    bool const turns = readers_.size() > 1 && !hasControl(document);
    slotBytes_ = turns ? bytes_ / 2 : bytes_;
    if (!turns) {
        for (Reader& reader : readers_) {
            reader.slot = 0;
        }
        return;
    }
    target::DeviceScope const scope(device);
    slots_.reserve(2);
    slots_.emplace_back(device);
    slots_.emplace_back(device);
    copies_.emplace(device, device.createStream());
    started_.emplace(device);
}

void WeightSlots::placeResident(Bindings& bindings) const {
    for (plan::TensorId const tensor : document_.tensors.ids()) {
        if (weights_.owns(tensor)) {
            bindings.setAlone(tensor, weights_.address(tensor));
        }
    }
}

void WeightSlots::place(void* memory, Bindings& bindings) {
    memory_ = static_cast<std::byte*>(memory);
    for (Reader const& reader : readers_) {
        std::byte* const slot = memory_ == nullptr ? nullptr : memory_ + reader.slot * slotBytes_;
        for (std::size_t number = 0; number < reader.parts.size(); ++number) {
            for (Part const& part : reader.parts[number]) {
                bindings.setInput(reader.step, number, part.tensor,
                                  slot == nullptr ? nullptr : slot + part.offset);
            }
        }
    }
}

std::vector<WeightSlots::Part> const& WeightSlots::partsOf(Reader const& reader) const {
    return reader.parts[document_.steps[reader.step].kernelFor(profile_)];
}

WeightSlots::Reader const* WeightSlots::find(std::size_t step) const {
    return readerOf_[step] < 0 ? nullptr : &readers_[static_cast<std::size_t>(readerOf_[step])];
}

/// What is on the stream is done before the slots are filled: a run before may still read them. In
/// a capture, this makes the copies part of it, so there must be one that a step waits for.
void WeightSlots::beginRun(std::size_t profile, target::StreamHandle stream) {
    profile_ = profile;
    if (slots_.empty() || std::all_of(readers_.begin(), readers_.end(), [&](Reader const& reader) {
            return partsOf(reader).empty();
        })) {
        return;
    }
    device_.record(started_->get(), stream);
    device_.wait(copies_->get(), started_->get());
    for (Slot& slot : slots_) {
        slot.wasLeft = false;
        slot.taken = false;
    }
    next_ = 0;
    fillSlots();
}

void WeightSlots::fillSlots() {
    for (; next_ < readers_.size(); ++next_) {
        Reader const& reader = readers_[next_];
        if (partsOf(reader).empty()) { // in this profile
            continue;
        }
        Slot& slot = slots_[reader.slot];
        if (slot.taken) {
            return;
        }
        if (slot.wasLeft) {
            device_.wait(copies_->get(), slot.left.get());
        }
        copy(reader, copies_->get());
        device_.record(slot.filled.get(), copies_->get());
        slot.taken = true;
    }
}

void WeightSlots::copy(Reader const& reader, target::StreamHandle stream) {
    for (Part const& part : partsOf(reader)) {
        if (!part.isCopied) {
            continue;
        }
        ByteView const from = weights_.source(part.tensor);
        device_.copy(memory_ + reader.slot * slotBytes_ + part.offset, from.data(), from.size(),
                     target::CopyKind::kHostToDevice, stream);
    }
}

void WeightSlots::bring(std::size_t step, target::StreamHandle stream) {
    Reader const* const reader = find(step);
    if (reader != nullptr && !slots_.empty() && !partsOf(*reader).empty()) {
        device_.wait(stream, slots_[reader->slot].filled.get());
    }
}

void WeightSlots::beforeStep(std::size_t step, target::StreamHandle stream) {
    if (Reader const* const reader = find(step); reader != nullptr && slots_.empty()) {
        copy(*reader, stream);
    } else {
        bring(step, stream);
    }
}

void WeightSlots::afterStep(std::size_t step, target::StreamHandle stream) {
    Reader const* const reader = find(step);
    if (reader == nullptr || slots_.empty() || partsOf(*reader).empty()) {
        return;
    }
    Slot& slot = slots_[reader->slot];
    device_.record(slot.left.get(), stream);
    slot.wasLeft = true;
    slot.taken = false;
    fillSlots();
}

} // namespace kiln::runtime
