// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV3Quick* in Python: the bound classes below decorated plugins, and the native parts that
// stand for Python objects. IPluginV3 itself is that of plugin_v3.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <impl/NvInferPythonPlugin.h>
#include <pybind11/pybind11.h>

#include "plugin_v3.h"

namespace kiln::python {

// Each part below has `native` set when it is of a plugin that is not Python's.
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

// What each base class asks of the user.
extern Requirements const kQuickCoreRequirements;
extern Requirements const kQuickBuildRequirements;
extern Requirements const kQuickAotBuildRequirements;
extern Requirements const kQuickRuntimeRequirements;

/// The requirements of those bases above that the class of `self` has. Plugins made of decorated
/// functions give what stands for some of the methods in a form of their own.
std::vector<Requirements const*> quickRequirements(py::handle self);

// The native parts of a Python plugin; each holds the Python object that it stands for.
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickCore(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickBuild(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickAotBuild(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeQuickRuntime(py::object self);
/// For a plugin that has _kiln_impl(): calls the decorated function itself.
std::unique_ptr<nvinfer1::IPluginCapability> makeDecoratedRuntime(py::object self);

/// A part of a foreign plugin; null if it is of another kind.
py::object quickPartToPython(nvinfer1::IPluginCapability& part);

void bindQuickParts(py::module_& m);

} // namespace kiln::python
