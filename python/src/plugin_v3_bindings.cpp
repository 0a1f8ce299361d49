// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The parts of IPluginV3 as classes to derive from. Attributes stand for getters; an attribute
// that was never set does not exist, so that a plugin which forgot it can be told.
#include <pybind11/stl.h>

#include "bindings.h"
#include "plugin_v3.h"
#include "unset.h"

namespace kiln::python {
namespace {

using nvinfer1::IPluginResourceContext;

void bindCore(py::module_& m) {
    py::class_<CoreObject, CapabilityObject>(m, "IPluginV3OneCore",
                                             "The part of a plugin that says who it is.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init([](CoreObject const& other) { return std::make_unique<CoreObject>(other); }),
             "A copy of the attributes.")
        .def_property("plugin_name", unsetGetter(&CoreObject::name, "plugin_name"),
                      plainSetter(&CoreObject::name), "str: the name. Must be set.")
        .def_property("plugin_version", unsetGetter(&CoreObject::version, "plugin_version"),
                      plainSetter(&CoreObject::version), "str: the version. Must be set.")
        .def_property("plugin_namespace", unsetGetter(&CoreObject::space, "plugin_namespace"),
                      plainSetter(&CoreObject::space), "str: the namespace. Must be set.");
}

void bindBuild(py::module_& m) {
    py::class_<BuildObject, CapabilityObject> build(
        m, "IPluginV3OneBuild", "The part of a plugin that answers while an engine is built.");
    build
        .def(py::init([] { return std::make_unique<BuildObject>(); }),
             "To be called by the __init__ of the derived class.")
        .def(py::init([](BuildObject const& other) {
                 auto copy = std::make_unique<BuildObject>(other);
                 copy->info.major = 1;
                 return copy;
             }),
             "A copy of the attributes.")
        .def_property("num_outputs", unsetGetter(&BuildObject::outputCount, "num_outputs"),
                      plainSetter(&BuildObject::outputCount),
                      "int: the number of outputs, 1 or more. Must be set.")
        .def_readwrite("format_combination_limit", &BuildObject::formatCombinationLimit,
                       "int: how many type and format combinations may be tried. Default: 100.")
        .def_readwrite("timing_cache_id", &BuildObject::timingCacheId,
                       "str | None: tells equal plugins apart in the timing cache. Default: None, "
                       "not cached.")
        .def_readwrite("metadata_string", &BuildObject::metadata,
                       "str | None: shown by the engine inspector. Default: None.")
        .def(
            "configure_plugin", [](py::object const&, py::object const&, py::object const&) {},
            "in"_a, "out"_a,
            "Callback: types and formats were chosen. in, out: list[DynamicPluginTensorDesc]. "
            "Required.")
        .def(
            "get_output_data_types", [](py::object const&, py::object const&) {}, "input_types"_a,
            "Callback: returns a list of num_outputs DataType. input_types: list[DataType]. "
            "Required.")
        .def(
            "get_output_shapes",
            [](py::object const&, py::object const&, py::object const&, py::object const&) {},
            "inputs"_a, "shape_inputs"_a, "expr_builder"_a,
            "Callback: returns a list of num_outputs DimsExprs. inputs: list[DimsExprs], the "
            "shapes; shape_inputs: list[DimsExprs], the values of shape tensors; expr_builder: "
            "IExprBuilder. Required.")
        .def(
            "supports_format_combination", [](py::object const&, int, py::object const&, int) {},
            "pos"_a, "in_out"_a, "num_inputs"_a,
            "Callback: whether the tensor at ``pos`` may have the type and format in "
            "``in_out[pos].desc``, given those before it. in_out: list[DynamicPluginTensorDesc], "
            "inputs first. Required.")
        .def(
            "get_workspace_size",
            [](py::object const&, py::object const&, py::object const&) { return 0; }, "in"_a,
            "out"_a,
            "Callback: returns the bytes of scratch memory that enqueue needs. Default: 0.")
        .def(
            "get_valid_tactics", [](py::object const&) { return py::list(); },
            "Callback: returns the tactics to choose from, positive integers. Default: none.");
    build.attr("DEFAULT_FORMAT_COMBINATION_LIMIT") =
        py::int_(nvinfer1::IPluginV3OneBuild::kDEFAULT_FORMAT_COMBINATION_LIMIT);
    documentationOnly(build,
                      {"configure_plugin", "get_output_data_types", "get_output_shapes",
                       "supports_format_combination", "get_workspace_size", "get_valid_tactics"});

    py::class_<BuildV2Object, BuildObject> v2(
        m, "IPluginV3OneBuildV2",
        "As IPluginV3OneBuild, for plugins that write an output into the memory of an input.");
    v2.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init(
                 [](BuildV2Object const& other) { return std::make_unique<BuildV2Object>(other); }),
             "A copy of the attributes.")
        .def(
            "get_aliased_input", [](py::object const&, int) { return -1; }, "output_index"_a,
            "Callback: returns the input whose memory the output shares, -1 for none. "
            "Default: -1.");
    documentationOnly(v2, {"get_aliased_input"});
}

void bindRuntime(py::module_& m) {
    py::class_<RuntimeObject, CapabilityObject> runtime(
        m, "IPluginV3OneRuntime", "The part of a plugin that runs in an engine.");
    runtime.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init(
                 [](RuntimeObject const& other) { return std::make_unique<RuntimeObject>(other); }),
             "A new object.")
        .def(
            "attach_to_context", [](py::object const&, py::object const&) {}, "resource_context"_a,
            "Callback: returns a plugin for one execution context, mostly self.clone(). "
            "resource_context: IPluginResourceContext. Required.")
        .def(
            "enqueue",
            [](py::object const&, py::object const&, py::object const&, py::object const&,
               py::object const&, int64_t, int64_t) {},
            "input_desc"_a, "output_desc"_a, "inputs"_a, "outputs"_a, "workspace"_a, "stream"_a,
            "Callback: computes the outputs.\n\n"
            "input_desc, output_desc: list[PluginTensorDesc]. inputs, outputs: list[int], "
            "addresses of the tensors. workspace: int, address of the scratch memory. stream: "
            "int, the cudaStream_t to work on. Required.")
        .def(
            "get_fields_to_serialize", [](py::object const&) {},
            "Callback: returns the PluginFieldCollection that a plan keeps; the creator gets it "
            "back when the plan is opened. Required.")
        .def(
            "on_shape_change", [](py::object const&, py::object const&, py::object const&) {},
            "in"_a, "out"_a,
            "Callback: the shapes of the coming enqueue calls. in, out: list[PluginTensorDesc]. "
            "Required.")
        .def(
            "set_tactic", [](py::object const&, int) {}, "tactic"_a,
            "Callback: the chosen tactic, 0 if there are none. Required.");
    documentationOnly(runtime, {"attach_to_context", "enqueue", "get_fields_to_serialize",
                                "on_shape_change", "set_tactic"});
}

} // namespace

void bindPluginV3Parts(py::module_& m) {
    py::class_<CapabilityObject, VersionedObject>(m, "IPluginCapability",
                                                  "A part of an IPluginV3.");
    bindCore(m);
    bindBuild(m);
    bindRuntime(m);
    py::class_<IPluginResourceContext, std::unique_ptr<IPluginResourceContext, py::nodelete>>(
        m, "IPluginResourceContext", "What an execution context offers to its plugins.")
        .def_property_readonly("gpu_allocator", &IPluginResourceContext::getGpuAllocator,
                               py::return_value_policy::reference_internal,
                               "IGpuAllocator | None: the context's allocator.")
        .def_property_readonly("error_recorder", &IPluginResourceContext::getErrorRecorder,
                               py::return_value_policy::reference_internal,
                               "IErrorRecorder | None: the context's error recorder.");
}

} // namespace kiln::python
