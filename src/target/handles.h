// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "target/backend.h"

namespace kiln::target {

/// RAII owner of an event, also safe for members of partly constructed objects.
class OwnedEvent {
public:
    explicit OwnedEvent(Backend& backend) : backend_(&backend), event_(backend.createEvent()) {}
    ~OwnedEvent() {
        if (event_ != nullptr) {
            backend_->destroyEvent(event_);
        }
    }
    OwnedEvent(OwnedEvent&& other) noexcept
        : backend_(other.backend_), event_(std::exchange(other.event_, nullptr)) {}
    OwnedEvent& operator=(OwnedEvent&&) = delete;

    EventHandle get() const noexcept { return event_; }

private:
    Backend* backend_;
    EventHandle event_;
};

/// RAII owner of an existing stream.
class OwnedStream {
public:
    OwnedStream(Backend& backend, StreamHandle stream) noexcept
        : backend_(backend), stream_(stream) {}
    ~OwnedStream() { backend_.destroyStream(stream_); }
    OwnedStream(OwnedStream const&) = delete;
    OwnedStream& operator=(OwnedStream const&) = delete;

    StreamHandle get() const noexcept { return stream_; }

private:
    Backend& backend_;
    StreamHandle stream_;
};

} // namespace kiln::target
