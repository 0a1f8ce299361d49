// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The creators that Python has registered, and the objects that keep registries alive.
#pragma once

#include <string>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// False if the name, version and namespace are taken. A creator whose class was defined again (as
/// when a notebook's cell is run again) replaces that of the earlier class.
bool registerCreator(nvinfer1::IPluginRegistry& registry, py::object const& creator,
                     std::string const& space);
/// False if the creator is not registered.
bool deregisterCreator(nvinfer1::IPluginRegistry& registry, py::object const& creator);
/// Deregisters all creators of Python, before the interpreter ends.
void deregisterAllCreators();

/// The object that lives as long as the registry: its owner, or the registry's own Python object.
py::object lifeOf(nvinfer1::IPluginRegistry& registry);

} // namespace kiln::python
