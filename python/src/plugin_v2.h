// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV2DynamicExt in Python: the bound classes, and the native plugin that represents a Python
// object while Kiln holds it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "plugin_support.h"
#include "zeroed_memory.h"

namespace kiln::python {

/// trt.IPluginV2. `native` is set for plugins in C++.
struct PluginV2Object : Zeroed {
    nvinfer1::IPluginV2* native = nullptr;
    bool owned = false;
    std::optional<std::string> type, version, space;
    std::optional<int64_t> outputCount;

    PluginV2Object() = default;
    PluginV2Object(nvinfer1::IPluginV2* plugin, bool isOwned) : native(plugin), owned(isOwned) {}
    ~PluginV2Object() {
        if (owned) {
            native->destroy();
        }
    }
    PluginV2Object(PluginV2Object const&) = delete;
    PluginV2Object& operator=(PluginV2Object const&) = delete;
};

struct PluginV2ExtObject : PluginV2Object {
    using PluginV2Object::PluginV2Object;
};

struct PluginV2DynamicExtBaseObject : PluginV2Object {
    using PluginV2Object::PluginV2Object;
};

struct PluginV2DynamicExtObject : PluginV2DynamicExtBaseObject {
    using PluginV2DynamicExtBaseObject::PluginV2DynamicExtBaseObject;
};

/// Throws TypeError if a Python plugin lacks members that its base class requires.
void checkPluginV2(py::handle self);

/// The numbers of the plugin's tensors in the last configure_plugin.
struct TensorCounts {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
};

/// A native plugin for a Python object. If owned, its destroy() calls the user's; else it only
/// deletes the adapter.
nvinfer1::IPluginV2DynamicExt* makePluginV2(py::object self, bool owned, TensorCounts counts = {});

/// The native plugin for the result of a callback, now owned by Kiln. `callback` is for messages.
nvinfer1::IPluginV2DynamicExt* adoptPluginV2(py::handle result, char const* callback,
                                             TensorCounts counts = {});

/// The native plugin behind an argument, for one call.
class PluginV2Argument {
public:
    explicit PluginV2Argument(py::object const& self);
    nvinfer1::IPluginV2& get() const { return *plugin_; }

private:
    struct Destroyer {
        void operator()(nvinfer1::IPluginV2DynamicExt* plugin) const { plugin->destroy(); }
    };
    std::unique_ptr<nvinfer1::IPluginV2DynamicExt, Destroyer> adapter_;
    nvinfer1::IPluginV2* plugin_;
};

/// The user's object behind a native plugin, or a wrapper of a C++ plugin.
py::object toPython(nvinfer1::IPluginV2* plugin, bool owned);

// Methods of wrappers of C++ plugins. Each throws TypeError for a Python plugin.
nvinfer1::IPluginV2& nativeOf(PluginV2Object const& self);
py::object clonePlugin(PluginV2Object const& self);
using Capsule = std::optional<py::capsule>; // None stands for a null pointer
int32_t executePlugin(PluginV2Object const& self, int32_t batchSize,
                      std::vector<Capsule> const& inputs, std::vector<Capsule> const& outputs,
                      Capsule const& workspace, std::uintptr_t stream);

/// The bytes of the result of serialize, any buffer or a str. Throws TypeError otherwise.
std::string serializedBytes(py::handle result);

void bindPluginV2Ext(py::module_& m);

} // namespace kiln::python
