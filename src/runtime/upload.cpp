// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/upload.h"

#include <algorithm>
#include <system_error>

namespace kiln::runtime {

void Upload::start() {
    constexpr std::size_t kMany = std::size_t{4} << 20; // about half a millisecond
    std::size_t bytes = 0;
    for (Part const& part : parts_) {
        bytes += part.bytes;
    }
    if (bytes >= kMany) {
        try {
            thread_ = std::thread([this] {
                try {
                    target::DeviceScope const scope(device_);
                    copyAll();
                } catch (...) {
                    failure_ = std::current_exception();
                }
            });
            return;
        } catch (std::system_error const&) { // no more threads
        }
    }
    copyAll();
}

/// In pieces, since the driver lets no other thread load a kernel during a copy.
void Upload::copyAll() {
    constexpr std::size_t kPiece = std::size_t{2} << 20;
    for (Part const& part : parts_) {
        for (std::size_t at = 0; at < part.bytes; at += kPiece) {
            device_.copy(static_cast<std::byte*>(part.to) + at,
                         static_cast<std::byte const*>(part.from) + at,
                         std::min(kPiece, part.bytes - at), target::CopyKind::kHostToDevice,
                         nullptr);
        }
    }
    if (!parts_.empty()) {
        device_.synchronize(nullptr); // contexts run on other streams
    }
}

void Upload::finish() {
    join();
    if (failure_ != nullptr) {
        std::rethrow_exception(failure_);
    }
}

void Upload::join() noexcept {
    if (thread_.joinable()) {
        thread_.join();
    }
}

} // namespace kiln::runtime
