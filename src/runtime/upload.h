// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "target/device.h"

namespace kiln::runtime {

/// Copies constants to the device on a thread of its own, while the caller loads kernels: a driver
/// copies pageable memory through a buffer of its own, so that the host is busy for as long as the
/// copy takes. The memory must stay valid until finish() or the destructor returns.
class Upload {
public:
    explicit Upload(target::Device& device) : device_(device) {}
    ~Upload() { join(); }
    Upload(Upload const&) = delete;
    Upload& operator=(Upload const&) = delete;

    void add(void* to, void const* from, std::size_t bytes) { parts_.push_back({to, from, bytes}); }
    /// Copies a few bytes here, many on the other thread.
    void start();
    /// Returns when all is on the device, for kernels on any stream.
    void finish();

private:
    struct Part {
        void* to;
        void const* from;
        std::size_t bytes;
    };

    void copyAll();
    void join() noexcept;

    target::Device& device_;
    std::vector<Part> parts_;
    std::exception_ptr failure_;
    std::thread thread_;
};

} // namespace kiln::runtime
