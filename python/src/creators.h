// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Plugin creators in Python, and the native creators that stand for them in the registry.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "plugin_support.h"
#include "versioned.h"

namespace kiln::python {

struct CreatorInterfaceObject : VersionedObject {
    nvinfer1::IPluginCreatorInterface* native = nullptr; // set for creators that are not Python's

    explicit CreatorInterfaceObject(char const* kind) : VersionedObject(kind) {}
    explicit CreatorInterfaceObject(nvinfer1::IPluginCreatorInterface& creator)
        : VersionedObject(creator), native(&creator) {}
};

/// The attributes that both generations have.
template <int kGeneration>
struct CreatorObject : CreatorInterfaceObject {
    std::optional<std::string> name, version, space;
    py::object fields;

    CreatorObject()
        : CreatorInterfaceObject(kGeneration == 2 ? "PLUGIN CREATOR_V1" : "PLUGIN CREATOR_V3ONE") {}
    using CreatorInterfaceObject::CreatorInterfaceObject;
};
using CreatorV2Object = CreatorObject<2>;
using CreatorV3Object = CreatorObject<3>;

/// A native creator for a Python object, which it holds. Throws TypeError that names what the
/// object lacks.
std::unique_ptr<nvinfer1::IPluginCreatorInterface> makeCreatorV2(py::object self);
std::unique_ptr<nvinfer1::IPluginCreatorInterface> makeCreatorV3(py::object self);

/// The user's object behind a native creator, or a wrapper of a foreign one.
py::object toPython(nvinfer1::IPluginCreatorInterface* creator);

} // namespace kiln::python
