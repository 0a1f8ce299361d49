// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/handles.h"

namespace kiln::runtime {

/// What Python plugins get in place of the default stream. Frameworks take its number, 0, for the
/// lack of one: torch.cuda.ExternalStream(0) is a new stream, which nothing waits for.
class PythonStream {
public:
    explicit PythonStream(backend::Backend& backend);

    /// Whether a stream is the default one, by either of its names (0 and cudaStreamLegacy).
    static bool replaces(backend::StreamHandle stream) noexcept {
        return stream == nullptr || stream == reinterpret_cast<backend::StreamHandle>(1);
    }

    /// What is put on it waits for what is on the default stream by then.
    backend::StreamHandle handle() const noexcept { return stream_.get(); }
    /// Whoever waits for the default stream from now on waits for what is on this one, too.
    void join();

private:
    backend::Backend& backend_;
    backend::OwnedStream stream_;
    backend::OwnedEvent joined_;
};

} // namespace kiln::runtime
