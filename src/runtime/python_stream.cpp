// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/python_stream.h"

namespace kiln::runtime {

PythonStream::PythonStream(backend::Backend& backend)
    : backend_(backend), stream_(backend.createBlockingStream()), joined_(backend.createEvent()) {}

PythonStream::~PythonStream() {
    backend_.destroyEvent(joined_);
    backend_.destroyStream(stream_);
}

void PythonStream::join() {
    backend_.record(joined_, stream_);
    backend_.wait(nullptr, joined_);
}

} // namespace kiln::runtime
