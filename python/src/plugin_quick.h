// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV3Quick* in Python: the bound base classes of decorated plugins, and the native parts that
// represent Python objects. IPluginV3 itself is in plugin_v3.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <impl/NvInferPythonPlugin.h>
#include <pybind11/pybind11.h>

#include "plugin_v3.h"

namespace kiln::python {

// `native` is set in parts of C++ plugins.
struct QuickCoreObject : CapabilityObject {
    nvinfer1::IPluginV3QuickCore* native = nullptr;
    std::optional<std::string> name, version, space;

    QuickCoreObject() : CapabilityObject("PLUGIN_V3QUICK_CORE") {}
    explicit QuickCoreObject(nvinfer1::IPluginV3QuickCore& part)
        : CapabilityObject(part), native(&part) {}
};

struct QuickBuildObject : CapabilityObject {
    nvinfer1::IPluginV3QuickBuild* native = nullptr;

    explicit QuickBuildObject(char const* kind = "PLUGIN_V3QUICK_BUILD") : CapabilityObject(kind) {}
    explicit QuickBuildObject(nvinfer1::IPluginV3QuickBuild& part)
        : CapabilityObject(part), native(&part) {}
};

struct QuickAotBuildObject : QuickBuildObject {
    QuickAotBuildObject() : QuickBuildObject("PLUGIN_V3QUICKAOT_BUILD") {}
    using QuickBuildObject::QuickBuildObject;
};

struct QuickRuntimeObject : CapabilityObject {
    nvinfer1::IPluginV3QuickRuntime* native = nullptr;

    QuickRuntimeObject() : CapabilityObject("PLUGIN_V3QUICK_RUNTIME") {}
    explicit QuickRuntimeObject(nvinfer1::IPluginV3QuickRuntime& part)
        : CapabilityObject(part), native(&part) {}
};

// The members that each base class requires.
extern Requirements const kQuickCoreRequirements;
extern Requirements const kQuickBuildRequirements;
extern Requirements const kQuickAotBuildRequirements;
extern Requirements const kQuickRuntimeRequirements;

/// The requirements of those classes above from which the class of `self` derives. Plugins made of
/// decorated functions have _kiln_impl and _kiln_aot_code instead of some of the methods.
std::vector<Requirements const*> quickRequirements(py::handle self);

// The native parts of a Python plugin; each holds the Python object that it represents.
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickCore(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickBuild(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickAotBuild(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickRuntime(py::object self);
/// For a plugin that has _kiln_impl(): calls the decorated function directly.
std::unique_ptr<nvinfer1::IPluginCapability> makeDecoratedRuntime(py::object self);

/// A part of a C++ plugin as a Python object; null if it is of another kind.
py::object quickPartToPython(nvinfer1::IPluginCapability& part);

void bindQuickParts(py::module_& m);

} // namespace kiln::python
