// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The creators that Python has put into registries, and the objects that keep registries alive.
#pragma once

#include <string>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// False if the name, version and namespace are taken. A creator whose class was defined again (a
/// notebook's cell was run once more) replaces that of the earlier class.
bool registerCreator(nvinfer1::IPluginRegistry& registry, py::object const& creator,
                     std::string const& space);
/// False if the creator is not in.
bool deregisterCreator(nvinfer1::IPluginRegistry& registry, py::object const& creator);
/// Takes out every creator of Python, before Python goes.
void deregisterAllCreators();

/// What lives as long as the registry itself: its owner, or the registry's own Python object.
py::object lifeOf(nvinfer1::IPluginRegistry& registry);

} // namespace kiln::python
