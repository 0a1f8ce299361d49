// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV3 in Python: the bound classes that users derive from, and the native plugin that
// represents a Python object while Kiln holds it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "plugin_support.h"
#include "versioned.h"

namespace kiln::python {

/// trt.IPluginV3. `native` is set for plugins in C++.
struct PluginV3Object : VersionedObject {
    nvinfer1::IPluginV3* native = nullptr;
    bool owned = false;

    PluginV3Object() : VersionedObject("PLUGIN_V3") {}
    PluginV3Object(nvinfer1::IPluginV3* plugin, bool isOwned)
        : VersionedObject(*plugin), native(plugin), owned(isOwned) {}
    ~PluginV3Object() {
        if (owned) {
            delete native;
        }
    }
    PluginV3Object(PluginV3Object const&) = delete;
    PluginV3Object& operator=(PluginV3Object const&) = delete;
};

struct CapabilityObject : VersionedObject {
    using VersionedObject::VersionedObject;
};

// `native` is set in parts of C++ plugins; all values are then read from it.
struct CoreObject : CapabilityObject {
    nvinfer1::IPluginV3OneCore* native = nullptr;
    std::optional<std::string> name, version, space;

    CoreObject() : CapabilityObject("PLUGIN_V3ONE_CORE") {}
    explicit CoreObject(nvinfer1::IPluginV3OneCore& part) : CapabilityObject(part), native(&part) {}
};

struct BuildObject : CapabilityObject {
    nvinfer1::IPluginV3OneBuild* native = nullptr;
    std::optional<int64_t> outputCount;
    int64_t formatCombinationLimit = nvinfer1::IPluginV3OneBuild::kDEFAULT_FORMAT_COMBINATION_LIMIT;
    std::optional<std::string> timingCacheId, metadata;

    explicit BuildObject(int32_t major = 1) : CapabilityObject("PLUGIN_V3ONE_BUILD", major) {}
    explicit BuildObject(nvinfer1::IPluginV3OneBuild& part)
        : CapabilityObject(part), native(&part) {}
};

struct BuildV2Object : BuildObject {
    BuildV2Object() : BuildObject(2) {}
    using BuildObject::BuildObject;
};

struct RuntimeObject : CapabilityObject {
    nvinfer1::IPluginV3OneRuntime* native = nullptr;

    RuntimeObject() : CapabilityObject("PLUGIN_V3ONE_RUNTIME") {}
    explicit RuntimeObject(nvinfer1::IPluginV3OneRuntime& part)
        : CapabilityObject(part), native(&part) {}
};

// The members that each base class requires.
extern Requirements const kPluginV3Requirements;
extern Requirements const kCoreRequirements;
extern Requirements const kBuildRequirements;
extern Requirements const kRuntimeRequirements;

/// Throws TypeError if a Python plugin lacks members that its base classes require.
void checkPluginV3(py::handle self);

// The native parts of a Python plugin; each holds the Python object that it represents. They also
// represent objects of the classes in plugin_quick.h.
std::unique_ptr<nvinfer1::IPluginCapability> makeCore(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeBuild(py::object self);
std::unique_ptr<nvinfer1::IPluginCapability> makeRuntime(py::object self);

/// Whether Kiln owns the native plugin (and deleting it calls the user's destroy()), or borrows it
/// for one call.
enum class Hold { kOwned, kBorrowed };

/// The native plugin for the result of a callback, now owned by Kiln. `callback` is for messages.
nvinfer1::IPluginV3* adoptPluginV3(py::handle result, char const* callback);

/// The native plugin behind an argument, for one call.
class PluginV3Argument {
public:
    explicit PluginV3Argument(py::object const& self);
    nvinfer1::IPluginV3& get() const { return *plugin_; }

private:
    std::unique_ptr<nvinfer1::IPluginV3> adapter_;
    nvinfer1::IPluginV3* plugin_;
};

/// The user's object behind a native plugin, or a wrapper of a C++ plugin.
py::object toPython(nvinfer1::IPluginV3* plugin, bool owned);

/// A part of a C++ plugin as an object of the class for its kind.
py::object toPython(nvinfer1::IPluginCapability& part);

void bindPluginV3Parts(py::module_& m);

} // namespace kiln::python
