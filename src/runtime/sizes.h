// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/size_points.h"
#include "target/handles.h"

namespace kiln::runtime {

/// Sizes that plugins write in device memory, on their way to pinned host memory. A run continues
/// during the copy unless it needs the size. Belongs to one context.
class Sizes {
public:
    /// What brings a copy to the host.
    enum class Arrival {
        kWithStream, ///< the work of the run
        kWithGraph,  ///< the copy was recorded; every launch of the graph repeats it
    };

    /// The arguments must outlive the object.
    Sizes(target::Device& device, plan::Document const& document, SizePoints const& points);
    /// Waits for copies to the memory that it frees.
    ~Sizes();
    Sizes(Sizes const&) = delete;
    Sizes& operator=(Sizes const&) = delete;

    /// Enqueues the copy of a size tensor on the stream.
    void copy(plan::TensorId tensor, void const* from, target::StreamHandle stream);
    /// The copies of a step's sizes were enqueued.
    void expect(std::size_t step, Arrival arrival);
    /// Marks the current end of the stream, for await().
    void mark(target::StreamHandle stream);

    /// Whether copies were enqueued whose sizes were not taken.
    bool pending() const noexcept { return !pending_.empty(); }
    void forget() noexcept { pending_.clear(); }
    /// The steps whose sizes have arrived, in order, after the caller waited for the stream.
    std::vector<std::size_t> take() noexcept { return std::exchange(pending_, {}); }
    /// Waits for the mark and takes. Sizes that come with a graph stay pending, because its next
    /// launch may bring others; the caller must have waited for the launch.
    std::vector<std::size_t> await();
    /// The result of the last copy.
    int64_t value(plan::TensorId tensor) const;

private:
    struct Slot {
        std::size_t index = 0; ///< in memory_
        DataType type = DataType::kINT64;
    };

    target::Device& device_;
    std::map<plan::TensorId, Slot> slots_;
    std::optional<target::OwnedEvent> event_; ///< empty if there are no sizes
    int64_t* memory_ = nullptr;
    std::vector<std::size_t> pending_; ///< steps
    Arrival arrival_ = Arrival::kWithStream;
};

} // namespace kiln::runtime
