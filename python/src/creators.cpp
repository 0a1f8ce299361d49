// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "creators.h"

#include <impl/NvInferPythonPlugin.h>

#include "fields.h"
#include "plugin_v2.h"
#include "plugin_v3.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginCreatorInterface;
using nvinfer1::PluginFieldCollection;

Requirements const kRequirementsV2{"IPluginCreator",
                                   {"field_names", "name", "plugin_namespace", "plugin_version"},
                                   {"create_plugin", "deserialize_plugin"}};
Requirements const kRequirementsV3{"IPluginCreatorV3One",
                                   {"field_names", "name", "plugin_namespace", "plugin_version"},
                                   {"create_plugin"}};
Requirements const kRequirementsQuick{"IPluginCreatorV3Quick",
                                      {"field_names", "name", "plugin_namespace", "plugin_version"},
                                      {"create_plugin"}};

/// The callbacks that all generations share.
template <typename Base>
class PythonCreator : public Base {
public:
    explicit PythonCreator(py::object self) : self_(std::move(self)) {
        remember(static_cast<IPluginCreatorInterface*>(this), self_);
    }
    ~PythonCreator() override {
        Gil const gil;
        if (!gil) {
            static_cast<void>(self_.release()); // leaked: the interpreter has ended
            static_cast<void>(fields_.release());
            return;
        }
        orPark([&] {
            forget(static_cast<IPluginCreatorInterface*>(this));
            fields_.reset();
            self_ = py::object();
        });
    }

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    char const* getPluginName() const noexcept override { return text("name", name_); }
    char const* getPluginVersion() const noexcept override {
        return text("plugin_version", version_);
    }
    char const* getPluginNamespace() const noexcept override {
        return text("plugin_namespace", space_);
    }
    PluginFieldCollection const* getFieldNames() noexcept override {
        return guarded<PluginFieldCollection const*>(nullptr, [&] {
            fields_ = toFieldCollection(self_.attr("field_names"));
            return &fields_->collection;
        });
    }

protected:
    /// Calls a method. Such calls are too rare to cache the look-up.
    template <typename... Args>
    py::object call(char const* method, Args&&... arguments) {
        return self_.attr(method)(std::forward<Args>(arguments)...);
    }
    py::object self_;

private:
    char const* text(char const* attribute, std::string& store) const noexcept {
        return guarded<char const*>("", [&] {
            store = textAttribute(self_, attribute);
            return store.c_str();
        });
    }

    mutable std::string name_, version_, space_;
    std::unique_ptr<FieldCollection> fields_;
};

class PythonCreatorV2 final : public PythonCreator<nvinfer1::IPluginCreator> {
public:
    using PythonCreator::PythonCreator;

    nvinfer1::IPluginV2* createPlugin(char const* name,
                                      PluginFieldCollection const* fields) noexcept override {
        return guarded<nvinfer1::IPluginV2*>(nullptr, [&] {
            py::object const plugin =
                call("create_plugin", py::str(name), FieldCollection::fromNative(fields));
            return adopted(plugin, "create_plugin");
        });
    }

    nvinfer1::IPluginV2* deserializePlugin(char const* name, void const* data,
                                           std::size_t size) noexcept override {
        return guarded<nvinfer1::IPluginV2*>(nullptr, [&] {
            py::object const plugin = call("deserialize_plugin", py::str(name),
                                           py::bytes(static_cast<char const*>(data), size));
            return adopted(plugin, "deserialize_plugin");
        });
    }

    void setPluginNamespace(char const* space) noexcept override {
        guarded(0, [&] {
            self_.attr("plugin_namespace") = space == nullptr ? "" : space;
            return 0;
        });
    }

private:
    static nvinfer1::IPluginV2* adopted(py::handle plugin, char const* callback) {
        nvinfer1::IPluginV2* const result = adoptPluginV2(plugin, callback);
        if (pythonObjectOf(result)) {
            try {
                checkPluginV2(plugin);
            } catch (...) {
                result->destroy();
                throw;
            }
        }
        return result;
    }
};

nvinfer1::IPluginV3* adopted(py::object const& plugin, nvinfer1::TensorRTPhase phase) {
    // A plugin that only runs does not need the callbacks of the build.
    if (phase == nvinfer1::TensorRTPhase::kBUILD && py::isinstance<PluginV3Object>(plugin) &&
        plugin.cast<PluginV3Object const&>().native == nullptr) {
        checkPluginV3(plugin);
    }
    return adoptPluginV3(plugin, "create_plugin");
}

class PythonCreatorV3 final : public PythonCreator<nvinfer1::IPluginCreatorV3One> {
public:
    using PythonCreator::PythonCreator;

    nvinfer1::IPluginV3* createPlugin(char const* name, PluginFieldCollection const* fields,
                                      nvinfer1::TensorRTPhase phase) noexcept override {
        return guarded<nvinfer1::IPluginV3*>(nullptr, [&] {
            py::object const plugin =
                call("create_plugin", py::str(name), FieldCollection::fromNative(fields), phase);
            return adopted(plugin, phase);
        });
    }
};

class PythonCreatorQuick final : public PythonCreator<nvinfer1::IPluginCreatorV3Quick> {
public:
    using PythonCreator::PythonCreator;

    nvinfer1::IPluginV3* createPlugin(
        char const* name, char const* space, PluginFieldCollection const* fields,
        nvinfer1::TensorRTPhase phase,
        nvinfer1::QuickPluginCreationRequest request) noexcept override {
        return guarded<nvinfer1::IPluginV3*>(nullptr, [&] {
            py::object const plugin = call("create_plugin", py::str(name), py::str(space),
                                           FieldCollection::fromNative(fields), phase, request);
            return adopted(plugin, phase);
        });
    }
};

} // namespace

std::unique_ptr<IPluginCreatorInterface> makeCreatorV2(py::object self) {
    checkMembers(self, {&kRequirementsV2});
    return std::make_unique<PythonCreatorV2>(std::move(self));
}

std::unique_ptr<IPluginCreatorInterface> makeCreatorV3(py::object self) {
    checkMembers(self, {&kRequirementsV3});
    return std::make_unique<PythonCreatorV3>(std::move(self));
}

std::unique_ptr<IPluginCreatorInterface> makeCreatorQuick(py::object self) {
    checkMembers(self, {&kRequirementsQuick});
    return std::make_unique<PythonCreatorQuick>(std::move(self));
}

} // namespace kiln::python
