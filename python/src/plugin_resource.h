// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginResource in Python: a resource that plugins share under a key of the registry.
#pragma once

#include <string>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "versioned.h"

namespace kiln::python {

namespace py = pybind11;

/// trt.IPluginResource. `native` is set for resources in C++; the registry owns it.
struct ResourceObject : VersionedObject {
    nvinfer1::IPluginResource* native = nullptr;

    ResourceObject() : VersionedObject("IPluginResource") {}
    explicit ResourceObject(nvinfer1::IPluginResource& resource)
        : VersionedObject(resource), native(&resource) {}
};

/// The resource that the registry keeps under `key`; a clone of `resource` if there is none yet.
/// None on failure.
py::object acquireResource(nvinfer1::IPluginRegistry& registry, std::string const& key,
                           py::object const& resource);

} // namespace kiln::python
