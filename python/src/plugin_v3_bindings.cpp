// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The parts of IPluginV3 as classes to derive from. Attributes replace getters. An attribute that
// was never set does not exist, so that a missing one can be reported.
#include <algorithm>
#include <string_view>
#include <vector>

#include <pybind11/stl.h>

#include "bindings.h"
#include "fields.h"
#include "plugin_quick.h"
#include "plugin_v3.h"
#include "unset_attribute.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginResourceContext;

// Copies the attributes of a Python part.
template <typename Object>
std::unique_ptr<Object> copyOfV3Part(Object const& other) {
    if (other.native != nullptr) {
        throw py::type_error("expected a part of a Python plugin to copy, got one of C++");
    }
    return std::make_unique<Object>(other);
}

void bindCore(py::module_& m) {
    using nvinfer1::IPluginV3OneCore;
    py::class_<CoreObject, CapabilityObject>(m, "IPluginV3OneCore",
                                             "The part of a plugin that identifies it.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init(&copyOfV3Part<CoreObject>), py::arg(), "A copy of the attributes.")
        .def_property("plugin_name",
                      nativeOr(&CoreObject::name, "plugin_name",
                               [](IPluginV3OneCore& part) { return part.getPluginName(); }),
                      authorSetter(&CoreObject::name, "plugin_name"), "str: the name. Must be set.")
        .def_property("plugin_version",
                      nativeOr(&CoreObject::version, "plugin_version",
                               [](IPluginV3OneCore& part) { return part.getPluginVersion(); }),
                      authorSetter(&CoreObject::version, "plugin_version"),
                      "str: the version. Must be set.")
        .def_property("plugin_namespace",
                      nativeOr(&CoreObject::space, "plugin_namespace",
                               [](IPluginV3OneCore& part) { return part.getPluginNamespace(); }),
                      authorSetter(&CoreObject::space, "plugin_namespace"),
                      "str: the namespace. Must be set.");
}

using BuildClass = py::class_<BuildObject, CapabilityObject>;
using Text = std::optional<std::string>;

/// Getter and setter of a text that may be None.
auto optionalText(Text BuildObject::* member,
                  char const* (nvinfer1::IPluginV3OneBuild::*native)() noexcept) {
    return [member, native](BuildObject const& self) -> Text {
        if (self.native == nullptr) {
            return self.*member;
        }
        char const* const text = (self.native->*native)();
        return text == nullptr ? Text() : Text(text);
    };
}

auto setOptionalText(Text BuildObject::* member, char const* name) {
    return [member, name](BuildObject& self, Text value) {
        checkSettable(self, name);
        self.*member = std::move(value);
    };
}

std::vector<int32_t> validTactics(BuildObject const& self) {
    std::vector<int32_t> tactics;
    if (self.native != nullptr) {
        tactics.resize(static_cast<std::size_t>(std::max(0, self.native->getNbTactics())));
        self.native->getValidTactics(tactics.data(), static_cast<int32_t>(tactics.size()));
    }
    return tactics;
}

int32_t aliasedInput(BuildV2Object const& self, int32_t outputIndex) {
    return self.native == nullptr ? -1
                                  : static_cast<nvinfer1::IPluginV3OneBuildV2*>(self.native)
                                        ->getAliasedInput(outputIndex);
}

void bindBuildAttributes(BuildClass& build) {
    using nvinfer1::IPluginV3OneBuild;
    build
        .def_property("num_outputs",
                      nativeOr(&BuildObject::outputCount, "num_outputs",
                               [](IPluginV3OneBuild& part) { return part.getNbOutputs(); }),
                      authorSetter(&BuildObject::outputCount, "num_outputs"),
                      "int: the number of outputs, 1 or more. Must be set.")
        .def_property(
            "format_combination_limit",
            [](BuildObject const& self) -> int64_t {
                return self.native != nullptr ? self.native->getFormatCombinationLimit()
                                              : self.formatCombinationLimit;
            },
            [](BuildObject& self, int64_t limit) {
                checkSettable(self, "format_combination_limit");
                self.formatCombinationLimit = limit;
            },
            "int: the maximum number of type and format combinations that are kept and timed. Kiln "
            "calls supports_format_combination at most 100 * operands * max(limit, 100) times. "
            "Default: 100.")
        .def_property(
            "timing_cache_id",
            optionalText(&BuildObject::timingCacheId, &IPluginV3OneBuild::getTimingCacheID),
            setOptionalText(&BuildObject::timingCacheId, "timing_cache_id"),
            "str | None: equal for plugins that may share timings. Default: None, never cached.")
        .def_property("metadata_string",
                      optionalText(&BuildObject::metadata, &IPluginV3OneBuild::getMetadataString),
                      setOptionalText(&BuildObject::metadata, "metadata_string"),
                      "str | None: shown by the engine inspector. Default: None.");
    build.attr("DEFAULT_FORMAT_COMBINATION_LIMIT") =
        py::int_(IPluginV3OneBuild::kDEFAULT_FORMAT_COMBINATION_LIMIT);
}

void bindBuild(py::module_& m) {
    using Any = py::object const&;
    BuildClass build(m, "IPluginV3OneBuild",
                     "The part of a plugin that is used while an engine is built.");
    bindBuildAttributes(build);
    build
        .def(py::init([] { return std::make_unique<BuildObject>(); }),
             "To be called by the __init__ of the derived class.")
        .def(py::init([](BuildObject const& other) {
                 auto copy = copyOfV3Part(other);
                 copy->info.major = 1;
                 return copy;
             }),
             py::arg(), "A copy of the attributes.")
        .def("configure_plugin", documented<void, BuildObject, Any, Any>("configure_plugin"),
             "in"_a, "out"_a,
             "Callback: types and formats were chosen. in, out: list[DynamicPluginTensorDesc]. "
             "Required.")
        .def("get_output_data_types", documented<void, BuildObject, Any>("get_output_data_types"),
             "input_types"_a,
             "Callback: returns a list of num_outputs DataType. input_types: list[DataType]. "
             "Required.")
        .def("get_output_shapes", documented<void, BuildObject, Any, Any, Any>("get_output_shapes"),
             "inputs"_a, "shape_inputs"_a, "expr_builder"_a,
             "Callback: returns a list of num_outputs DimsExprs. inputs: list[DimsExprs], the "
             "shapes; shape_inputs: list[DimsExprs], the values of shape tensors; expr_builder: "
             "IExprBuilder. Required.")
        .def("supports_format_combination",
             documented<void, BuildObject, int, Any, int>("supports_format_combination"), "pos"_a,
             "in_out"_a, "num_inputs"_a,
             "Callback: whether the tensor at ``pos`` may have the type and format in "
             "``in_out[pos].desc``, given those before it. in_out: list[DynamicPluginTensorDesc], "
             "inputs first. Required.")
        .def("get_workspace_size", documented<int, BuildObject, Any, Any>("get_workspace_size"),
             "in"_a, "out"_a,
             "Callback: returns the bytes of scratch memory that enqueue needs. Default: 0.")
        .def("get_valid_tactics", &validTactics,
             "Callback: returns the tactics to choose from, positive integers. Default: none.");
    documentationOnly(build,
                      {"configure_plugin", "get_output_data_types", "get_output_shapes",
                       "supports_format_combination", "get_workspace_size", "get_valid_tactics"});

    py::class_<BuildV2Object, BuildObject> v2(
        m, "IPluginV3OneBuildV2",
        "Like IPluginV3OneBuild, for plugins that write an output into the memory of an input.");
    v2.def(py::init([] { return std::make_unique<BuildV2Object>(); }),
           "To be called by the __init__ of the derived class.")
        .def(py::init(&copyOfV3Part<BuildV2Object>), py::arg(), "A copy of the attributes.")
        .def("get_aliased_input", &aliasedInput, "output_index"_a = 0,
             "Callback: returns the input whose memory the output shares, -1 for none. "
             "Default: -1.");
    documentationOnly(v2, {"get_aliased_input"});
}

py::object fieldsToSerialize(RuntimeObject const& self) {
    return self.native == nullptr
               ? py::none()
               : FieldCollection::fromNative(self.native->getFieldsToSerialize());
}

void bindRuntime(py::module_& m) {
    using Any = py::object const&;
    py::class_<RuntimeObject, CapabilityObject> runtime(
        m, "IPluginV3OneRuntime", "The part of a plugin that runs in an engine.");
    runtime.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init(&copyOfV3Part<RuntimeObject>), py::arg(), "A new object.")
        .def("attach_to_context", documented<void, RuntimeObject, Any>("attach_to_context"),
             "resource_context"_a,
             "Callback: returns a plugin for one execution context, usually self.clone(). "
             "resource_context: IPluginResourceContext. Required.")
        .def("enqueue",
             documented<void, RuntimeObject, Any, Any, Any, Any, int64_t, int64_t>("enqueue"),
             "input_desc"_a, "output_desc"_a, "inputs"_a, "outputs"_a, "workspace"_a, "stream"_a,
             "Callback: computes the outputs.\n\n"
             "input_desc, output_desc: list[PluginTensorDesc]. inputs, outputs: list[int], "
             "addresses of the tensors. workspace: int, address of the scratch memory. stream: "
             "int, the cudaStream_t to work on. Required.")
        .def("get_fields_to_serialize", &fieldsToSerialize,
             "Callback: returns the PluginFieldCollection that a plan stores; the creator gets it "
             "back when the plan is opened. Required.")
        .def("on_shape_change", documented<void, RuntimeObject, Any, Any>("on_shape_change"),
             "in"_a, "out"_a,
             "Callback: the shapes of the next enqueue calls. in, out: list[PluginTensorDesc]. "
             "Required.")
        .def("set_tactic", documented<void, RuntimeObject, int>("set_tactic"), "tactic"_a,
             "Callback: the chosen tactic, 0 if there are none. Required.");
    documentationOnly(runtime, {"attach_to_context", "enqueue", "get_fields_to_serialize",
                                "on_shape_change", "set_tactic"});
}

} // namespace

py::object toPython(nvinfer1::IPluginCapability& part) {
    nvinfer1::InterfaceInfo const info = part.getInterfaceInfo();
    std::string_view const kind = info.kind;
    if (kind == "PLUGIN_V3ONE_CORE") {
        return py::cast(
            std::make_unique<CoreObject>(static_cast<nvinfer1::IPluginV3OneCore&>(part)));
    }
    if (kind == "PLUGIN_V3ONE_BUILD") {
        auto& build = static_cast<nvinfer1::IPluginV3OneBuild&>(part);
        return info.major >= 2 ? py::cast(std::make_unique<BuildV2Object>(build))
                               : py::cast(std::make_unique<BuildObject>(build));
    }
    if (kind == "PLUGIN_V3ONE_RUNTIME") {
        return py::cast(
            std::make_unique<RuntimeObject>(static_cast<nvinfer1::IPluginV3OneRuntime&>(part)));
    }
    if (py::object quick = quickPartToPython(part)) {
        return quick;
    }
    return py::cast(std::make_unique<CapabilityObject>(part));
}

void bindPluginV3Parts(py::module_& m) {
    py::class_<CapabilityObject, nvinfer1::IVersionedInterface>(m, "IPluginCapability",
                                                                "A part of an IPluginV3.");
    bindCore(m);
    bindBuild(m);
    bindRuntime(m);
    bindQuickParts(m);
    py::class_<IPluginResourceContext, std::unique_ptr<IPluginResourceContext, py::nodelete>>(
        m, "IPluginResourceContext", "What an execution context offers to its plugins.")
        .def_property_readonly(
            "gpu_allocator", &IPluginResourceContext::getGpuAllocator,
            py::return_value_policy::reference_internal,
            "IGpuAllocator | None: the context's allocator; None after the context is destroyed.")
        .def_property_readonly(
            "error_recorder", &IPluginResourceContext::getErrorRecorder,
            py::return_value_policy::reference_internal,
            "IErrorRecorder | None: the context's error recorder; None without one, and after the "
            "context is destroyed.");
}

} // namespace kiln::python
