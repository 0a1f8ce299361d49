// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

/// Puts a short way in front of the bound execute_async_v3: one positional int goes straight to
/// enqueueV3. Everything else, keywords and mistakes, is left to the bound method. Finding the
/// overload and converting arguments costs as much as the rest of a small run, and more between
/// runs that empty the processor's caches.
void shortenRun(pybind11::class_<nvinfer1::IExecutionContext>& cls);

} // namespace kiln::python
