// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/python_stream.h"

namespace kiln::runtime {

PythonStream::PythonStream(target::Device& device)
    : device_(device), stream_(device, device.createBlockingStream()), joined_(device) {}

void PythonStream::join() {
    device_.record(joined_.get(), stream_.get());
    device_.wait(nullptr, joined_.get());
}

} // namespace kiln::runtime
