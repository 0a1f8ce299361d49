// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/size_points.h"
#include "target/handles.h"

namespace kiln::runtime {

/// Copies sizes that plugins write in device memory to pinned host memory, so that a run continues
/// during the copy. Belongs to one context.
class SizeReader {
public:
    SizeReader(target::Backend& backend, plan::Document const& document, SizePoints const& points);
    ~SizeReader();
    SizeReader(SizeReader const&) = delete;
    SizeReader& operator=(SizeReader const&) = delete;

    /// Enqueues the copy of a size tensor on the stream.
    void request(int32_t tensor, DataType type, void const* from, target::StreamHandle stream);
    /// The result of the last copy. Call it only after waiting for the stream or the mark.
    int64_t value(int32_t tensor, DataType type) const;
    /// Marks the current end of the stream.
    void mark(target::StreamHandle stream);
    void waitForMark() { backend_.synchronizeEvent(event_->get()); }

private:
    target::Backend& backend_;
    std::map<int32_t, std::size_t> slots_;    ///< by tensor: its index in memory_
    std::optional<target::OwnedEvent> event_; ///< empty if there are no sizes
    int64_t* memory_ = nullptr;
};

} // namespace kiln::runtime
