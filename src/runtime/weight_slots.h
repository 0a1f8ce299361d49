// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "runtime/bindings.h"
#include "runtime/weight_streaming.h"
#include "target/handles.h"

namespace kiln::runtime {

/// Brings the streamed weights of one context to the device: those of a step into one of two slots
/// of scratch memory. A stream of its own fills a slot while the step in front reads the other one.
/// In engines with loops or branches, where the next step is not known, there is one slot, which
/// the stream of the run fills. A run may be captured: the copies become part of the graph.
class WeightSlots {
public:
    WeightSlots(WeightStreaming& weights, plan::Document const& document, target::Device& device);

    /// Sets the addresses of all owned constants that stay on the device.
    void placeResident(Bindings& bindings) const;
    /// Bytes of scratch memory; 0: nothing is streamed.
    uint64_t bytes() const noexcept { return bytes_; }
    /// Sets where the streamed constants will be. Null: not known any more.
    void place(void* memory, Bindings& bindings);
    bool isPlaced() const noexcept { return memory_ != nullptr || bytes_ == 0; }

    // A run calls these in the order of its steps.
    void beginRun(std::size_t profile, target::StreamHandle stream);
    void beforeStep(std::size_t step, target::StreamHandle stream);
    void afterStep(std::size_t step, target::StreamHandle stream);
    /// Makes another stream, on which the step runs, wait as beforeStep() does.
    void bring(std::size_t step, target::StreamHandle stream);

private:
    struct Part {
        plan::TensorId tensor;
        std::size_t offset = 0; ///< in its slot
        bool isCopied = true;   ///< false: another part has the same bytes
    };
    struct Slot {
        explicit Slot(target::Device& device) : filled(device), left(device) {}
        target::OwnedEvent filled; ///< the weights have arrived
        target::OwnedEvent left;   ///< the step that read them is done
        bool wasLeft = false;      ///< in this run
        bool taken = false;        ///< by a step that has not started
    };
    /// Steps that stream something, for any of their kernels; they take turns in the slots.
    struct Reader {
        std::size_t step = 0;
        std::size_t slot = 0;
        std::vector<std::vector<Part>> parts; ///< by number of the kernel
    };

    std::vector<Part> const& partsOf(Reader const& reader) const;
    Reader const* find(std::size_t step) const;
    void copy(Reader const& reader, target::StreamHandle stream);
    void fillSlots();

    WeightStreaming& weights_;
    WeightStreaming::Use const use_; ///< before everything that asks where weights are
    plan::Document const& document_;
    target::Device& device_;
    std::vector<Reader> readers_;   ///< in the order of steps
    std::vector<int32_t> readerOf_; ///< by step: index into readers_; -1: none
    uint64_t bytes_;
    std::size_t slotBytes_ = 0;
    std::byte* memory_ = nullptr;
    std::vector<Slot> slots_; ///< empty: copies are on the stream of the run
    std::optional<target::OwnedStream> copies_;
    std::optional<target::OwnedEvent> started_;
    std::size_t profile_ = 0;
    std::size_t next_ = 0; ///< the first of readers_ whose weights are not on their way
};

} // namespace kiln::runtime
