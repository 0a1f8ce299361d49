// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// The registry of a builder or runtime as a Python object. Objects that Python registers or sets
/// there live as long as the owner.
py::object registryOfOwner(py::object const& owner, nvinfer1::IPluginRegistry& registry);

} // namespace kiln::python
