// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The parts of decorated plugins as classes to derive from. Their callbacks are looked up by name;
// the classes have no methods of those names.
#include <string_view>

#include <pybind11/stl.h>

#include "bindings.h"
#include "plugin_quick.h"
#include "unset_attribute.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginV3QuickCore;

template <typename Object>
std::unique_ptr<Object> copyOfPart(Object const& other) {
    if (other.native != nullptr) {
        throw py::type_error("expected a part of a Python plugin to copy, got one of C++");
    }
    return std::make_unique<Object>(other);
}

template <typename Object, typename Class>
void bindInit(Class& cls) {
    cls.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init(&copyOfPart<Object>), py::arg(), "A copy of the attributes.");
}

void bindQuickCore(py::module_& m) {
    py::class_<QuickCoreObject, CapabilityObject> core(
        m, "IPluginV3QuickCore", "The part of a decorated plugin that identifies it.");
    bindInit<QuickCoreObject>(core);
    core.def_property("plugin_name",
                      nativeOr(&QuickCoreObject::name, "plugin_name",
                               [](IPluginV3QuickCore& part) { return part.getPluginName(); }),
                      authorSetter(&QuickCoreObject::name, "plugin_name"),
                      "str: the name. Must be set.")
        .def_property("plugin_version",
                      nativeOr(&QuickCoreObject::version, "plugin_version",
                               [](IPluginV3QuickCore& part) { return part.getPluginVersion(); }),
                      authorSetter(&QuickCoreObject::version, "plugin_version"),
                      "str: the version. Must be set.")
        .def_property("plugin_namespace",
                      nativeOr(&QuickCoreObject::space, "plugin_namespace",
                               [](IPluginV3QuickCore& part) { return part.getPluginNamespace(); }),
                      authorSetter(&QuickCoreObject::space, "plugin_namespace"),
                      "str: the namespace. Must be set.");
}

} // namespace

std::vector<Requirements const*> quickRequirements(py::handle self) {
    std::vector<Requirements const*> needed;
    if (py::isinstance<QuickCoreObject>(self)) {
        needed.push_back(&kQuickCoreRequirements);
    }
    if (py::isinstance<QuickBuildObject>(self)) {
        needed.push_back(&kQuickBuildRequirements);
    }
    if (py::isinstance<QuickAotBuildObject>(self) && !py::hasattr(self, "_kiln_aot_code")) {
        needed.push_back(&kQuickAotBuildRequirements);
    }
    if (py::isinstance<QuickRuntimeObject>(self) && !py::hasattr(self, "_kiln_impl")) {
        needed.push_back(&kQuickRuntimeRequirements);
    }
    return needed;
}

py::object quickPartToPython(nvinfer1::IPluginCapability& part) {
    std::string_view const kind = part.getInterfaceInfo().kind;
    if (kind == "PLUGIN_V3QUICK_CORE") {
        return py::cast(std::make_unique<QuickCoreObject>(static_cast<IPluginV3QuickCore&>(part)));
    }
    if (kind == "PLUGIN_V3QUICK_BUILD") {
        return py::cast(
            std::make_unique<QuickBuildObject>(static_cast<nvinfer1::IPluginV3QuickBuild&>(part)));
    }
    if (kind == "PLUGIN_V3QUICKAOT_BUILD" || kind == "KILN_AOT_BUILD") {
        return py::cast(std::make_unique<QuickAotBuildObject>(
            static_cast<nvinfer1::IPluginV3QuickBuild&>(part)));
    }
    if (kind == "PLUGIN_V3QUICK_RUNTIME") {
        return py::cast(std::make_unique<QuickRuntimeObject>(
            static_cast<nvinfer1::IPluginV3QuickRuntime&>(part)));
    }
    return {};
}

void bindQuickParts(py::module_& m) {
    bindQuickCore(m);
    py::class_<QuickBuildObject, CapabilityObject> build(
        m, "IPluginV3QuickBuild",
        "The part of a decorated plugin that is used while an engine is built.\n\n"
        "Callbacks: configure_plugin, get_output_data_types, get_output_shapes and "
        "get_supported_format_combinations; optional: get_num_outputs (default 0), "
        "get_aliased_input, get_valid_tactics, get_timing_cache_id, get_metadata_string.");
    bindInit<QuickBuildObject>(build);
    py::class_<QuickAotBuildObject, QuickBuildObject> aot(
        m, "IPluginV3QuickAOTBuild",
        "Like IPluginV3QuickBuild, for plugins that are compiled into the engine.\n\n"
        "Additional callbacks: get_kernel, get_launch_params and set_tactic.");
    bindInit<QuickAotBuildObject>(aot);
    py::class_<QuickRuntimeObject, CapabilityObject> runtime(
        m, "IPluginV3QuickRuntime",
        "The part of a decorated plugin that runs in an engine.\n\n"
        "Callbacks: enqueue, get_fields_to_serialize and set_tactic.");
    bindInit<QuickRuntimeObject>(runtime);
}

} // namespace kiln::python
