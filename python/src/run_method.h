// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

/// Puts a fast path in front of the bound execute_async_v3: one positional int goes straight to
/// enqueueV3. All other calls, with keywords or mistakes, go to the bound method. Finding the
/// overload and converting arguments costs as much as the rest of a small run, and more between
/// runs that evict the processor's caches.
void shortenRun(pybind11::class_<nvinfer1::IExecutionContext>& cls);

} // namespace kiln::python
