// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <NvInfer.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

using NetworkClass = py::class_<nvinfer1::INetworkDefinition>;
using Tensors = std::vector<nvinfer1::ITensor*>;

inline int32_t countOf(Tensors const& tensors) {
    return static_cast<int32_t>(tensors.size());
}

/// The methods that add plugins.
void bindPluginLayers(NetworkClass& cls);

} // namespace kiln::python
