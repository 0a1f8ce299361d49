// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "target/device.h"

namespace kiln::target {

/// RAII owner of an event, also safe for members of partly constructed objects.
class OwnedEvent {
public:
    explicit OwnedEvent(Device& device) : device_(&device), event_(device.createEvent()) {}
    ~OwnedEvent() {
        if (event_ != nullptr) {
            device_->destroyEvent(event_);
        }
    }
    OwnedEvent(OwnedEvent&& other) noexcept
        : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
    OwnedEvent& operator=(OwnedEvent&&) = delete;

    EventHandle get() const noexcept { return event_; }

private:
    Device* device_;
    EventHandle event_;
};

/// RAII owner of an existing stream.
class OwnedStream {
public:
    OwnedStream(Device& device, StreamHandle stream) noexcept : device_(device), stream_(stream) {}
    ~OwnedStream() { device_.destroyStream(stream_); }
    OwnedStream(OwnedStream const&) = delete;
    OwnedStream& operator=(OwnedStream const&) = delete;

    StreamHandle get() const noexcept { return stream_; }

private:
    Device& device_;
    StreamHandle stream_;
};

} // namespace kiln::target
