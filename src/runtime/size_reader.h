// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/handles.h"
#include "runtime/size_points.h"

namespace kiln::runtime {

/// Brings the sizes that plugins write in device memory to the host, in pinned memory, so that a
/// run goes on while they are on their way. Belongs to one context.
class SizeReader {
public:
    SizeReader(backend::Backend& backend, plan::Document const& document, SizePoints const& points);
    ~SizeReader();
    SizeReader(SizeReader const&) = delete;
    SizeReader& operator=(SizeReader const&) = delete;

    /// Puts the copy of a size tensor on the stream.
    void request(int32_t tensor, DataType type, void const* from, backend::StreamHandle stream);
    /// What the last copy brought. Only once the stream, or the mark, has been waited for.
    int64_t value(int32_t tensor, DataType type) const;
    /// Marks the stream's end as it is now.
    void mark(backend::StreamHandle stream);
    void waitForMark() { backend_.synchronizeEvent(event_->get()); }

private:
    backend::Backend& backend_;
    std::map<int32_t, std::size_t> slots_;     ///< by tensor: its number in memory_
    std::optional<backend::OwnedEvent> event_; ///< none: there are no sizes
    int64_t* memory_ = nullptr;
};

} // namespace kiln::runtime
