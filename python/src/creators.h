// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Plugin creators in Python, and the native creators that represent them in the registry.
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
    nvinfer1::IPluginCreatorInterface* native = nullptr; // set for creators in C++

    explicit CreatorInterfaceObject(char const* kind) : VersionedObject(kind) {}
    explicit CreatorInterfaceObject(nvinfer1::IPluginCreatorInterface& creator)
        : VersionedObject(creator), native(&creator) {}
};

enum class CreatorKind { kV2, kV3, kQuick };

/// The attributes that all kinds have.
template <CreatorKind kKind>
struct CreatorObject : CreatorInterfaceObject {
    static constexpr char const* kInterface = kKind == CreatorKind::kV2 ? "PLUGIN CREATOR_V1"
                                              : kKind == CreatorKind::kV3
                                                  ? "PLUGIN CREATOR_V3ONE"
                                                  : "PLUGIN CREATOR_V3QUICK";

    std::optional<std::string> name, version, space;
    py::object fields;

    CreatorObject() : CreatorInterfaceObject(kInterface) {}
    using CreatorInterfaceObject::CreatorInterfaceObject;
};
using CreatorV2Object = CreatorObject<CreatorKind::kV2>;
using CreatorV3Object = CreatorObject<CreatorKind::kV3>;
using CreatorQuickObject = CreatorObject<CreatorKind::kQuick>;

/// A native creator for a Python object, which it holds. Throws TypeError that names the members
/// that the object lacks.
std::unique_ptr<nvinfer1::IPluginCreatorInterface> makeCreatorV2(py::object self);
std::unique_ptr<nvinfer1::IPluginCreatorInterface> makeCreatorV3(py::object self);
std::unique_ptr<nvinfer1::IPluginCreatorInterface> makeCreatorQuick(py::object self);

/// The user's object behind a native creator, or a wrapper of a C++ creator.
py::object toPython(nvinfer1::IPluginCreatorInterface* creator);

} // namespace kiln::python
