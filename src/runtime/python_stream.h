// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/handles.h"

namespace kiln::runtime {

/// Replaces the default stream for Python plugins. Frameworks take its handle, 0, as no stream:
/// torch.cuda.ExternalStream(0) is a new stream, which nothing waits for.
class PythonStream {
public:
    explicit PythonStream(target::Device& device);

    /// Whether a stream is the default stream, by either of its handles (0 and cudaStreamLegacy).
    static bool replaces(target::StreamHandle stream) noexcept {
        return stream == nullptr || stream == reinterpret_cast<target::StreamHandle>(1);
    }

    /// Work on it waits for the earlier work on the default stream.
    target::StreamHandle handle() const noexcept { return stream_.get(); }
    /// Makes later work on the default stream wait for the work on this stream.
    void join();

private:
    target::Device& device_;
    target::OwnedStream stream_;
    target::OwnedEvent joined_;
};

} // namespace kiln::runtime
