// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

using NetworkClass = py::class_<nvinfer1::INetworkDefinition>;

/// The methods that add plugins.
void bindPluginLayers(NetworkClass& cls);

} // namespace kiln::python
