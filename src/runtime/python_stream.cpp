// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/python_stream.h"

namespace kiln::runtime {

PythonStream::PythonStream(target::Backend& backend)
    : backend_(backend), stream_(backend, backend.createBlockingStream()), joined_(backend) {}

void PythonStream::join() {
    backend_.record(joined_.get(), stream_.get());
    backend_.wait(nullptr, joined_.get());
}

} // namespace kiln::runtime
