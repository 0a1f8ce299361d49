// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bindings.h"
#include "plugin_quick.h"
#include "plugin_v3.h"

namespace kiln::python {
namespace {

/// Both interfaces require the same three attributes.
template <typename Base>
class PythonCore final : public Base {
public:
    explicit PythonCore(py::object self) : self_(std::move(self)) {}

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    char const* getPluginName() const noexcept override { return text("plugin_name", name_); }
    char const* getPluginVersion() const noexcept override {
        return text("plugin_version", version_);
    }
    char const* getPluginNamespace() const noexcept override {
        return text("plugin_namespace", space_);
    }

private:
    char const* text(char const* attribute, std::string& store) const noexcept {
        return guarded<char const*>("", [&] {
            store = textAttribute(self_, attribute);
            return store.c_str();
        });
    }

    py::object self_;
    mutable std::string name_, version_, space_;
};

} // namespace

Requirements const kCoreRequirements{
    "IPluginV3OneCore", {"plugin_name", "plugin_version", "plugin_namespace"}, {}};
Requirements const kQuickCoreRequirements{
    "IPluginV3QuickCore", {"plugin_name", "plugin_version", "plugin_namespace"}, {}};

std::unique_ptr<nvinfer1::IPluginCapability> makeCore(py::object self) {
    if (py::isinstance<QuickCoreObject>(self)) {
        checkMembers(self, {&kQuickCoreRequirements});
        return std::make_unique<PythonCore<nvinfer1::IPluginV3QuickCore>>(std::move(self));
    }
    if (!py::isinstance<CoreObject>(self)) {
        throw py::type_error(fmt::format("get_capability_interface(CORE): expected an "
                                         "IPluginV3OneCore or an IPluginV3QuickCore, got {}",
                                         className(self)));
    }
    checkMembers(self, {&kCoreRequirements});
    return std::make_unique<PythonCore<nvinfer1::IPluginV3OneCore>>(std::move(self));
}

} // namespace kiln::python
