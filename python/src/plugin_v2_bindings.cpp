// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV2 and its derived classes. The methods of IPluginV2 itself are for C++ plugins; users
// derive from IPluginV2DynamicExt, which documents the callbacks.
#include <pybind11/stl.h>

#include "bindings.h"
#include "plugin_v2.h"
#include "unset_attribute.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::IPluginV2;
using nvinfer1::TensorFormat;

py::object serialize(PluginV2Object const& self) {
    IPluginV2 const& plugin = nativeOf(self);
    std::string bytes(plugin.getSerializationSize(), '\0');
    plugin.serialize(bytes.data());
    return py::memoryview(py::bytes(bytes));
}

/// The number of bytes that serialize() returns; 0 for a Python plugin without it.
std::size_t lengthOfState(py::object const& self) {
    if (nvinfer1::IPluginV2 const* const native = self.cast<PluginV2Object const&>().native) {
        return native->getSerializationSize();
    }
    return defines(self, "serialize") ? serializedBytes(self.attr("serialize")()).size() : 0;
}

std::size_t serializationSize(py::object const& self) {
    constexpr char const* kCallback = "get_serialization_size";
    if (self.cast<PluginV2Object const&>().native != nullptr || !defines(self, kCallback)) {
        return lengthOfState(self);
    }
    return static_cast<std::size_t>(toInteger(self.attr(kCallback)(), kCallback, 0));
}

void bindBase(py::module_& m) {
    py::class_<PluginV2Object>(m, "IPluginV2", "A plugin of the second generation.")
        .def_property("num_outputs",
                      nativeOr(&PluginV2Object::outputCount, "num_outputs",
                               [](IPluginV2& p) { return p.getNbOutputs(); }),
                      authorSetter(&PluginV2Object::outputCount, "num_outputs"),
                      "int: the number of outputs, 1 or more. Must be set.")
        .def_property("plugin_type",
                      nativeOr(&PluginV2Object::type, "plugin_type",
                               [](IPluginV2& p) { return p.getPluginType(); }),
                      authorSetter(&PluginV2Object::type, "plugin_type"),
                      "str: the name. Must be set.")
        .def_property("plugin_version",
                      nativeOr(&PluginV2Object::version, "plugin_version",
                               [](IPluginV2& p) { return p.getPluginVersion(); }),
                      authorSetter(&PluginV2Object::version, "plugin_version"),
                      "str: the version. Must be set.")
        .def_property(
            "plugin_namespace",
            nativeOr(&PluginV2Object::space, "plugin_namespace",
                     [](IPluginV2& p) { return p.getPluginNamespace(); }),
            [](PluginV2Object& self, std::string const& space) {
                self.space = space;
                if (self.native != nullptr) {
                    self.native->setPluginNamespace(space.c_str());
                }
            },
            "str: the namespace. Must be set.")
        .def_property_readonly(
            "tensorrt_version",
            [](PluginV2Object const& self) {
                return self.native != nullptr ? self.native->getTensorRTVersion()
                                              : NV_TENSORRT_VERSION;
            },
            "int: the API version that the plugin was made for.")
        .def_property_readonly("serialization_size", &serializationSize,
                               "int: the number of bytes that serialize() returns.")
        .def("clone", &clonePlugin, "Another plugin with the same state.")
        .def(
            "destroy", [](PluginV2Object const&) {},
            "Does nothing: the plugin is freed with its last reference.")
        .def(
            "initialize", [](PluginV2Object const& self) { return nativeOf(self).initialize(); },
            "Prepares to run; returns 0 for success.")
        .def(
            "terminate", [](PluginV2Object const& self) { nativeOf(self).terminate(); },
            "Releases the resources of initialize().")
        .def("serialize", &serialize, "The plugin's state for a plan, as a memoryview.")
        .def(
            "get_output_shape",
            [](PluginV2Object const& self, int32_t index, std::vector<Dims> const& shapes) {
                return nativeOf(self).getOutputDimensions(index, shapes.data(),
                                                          static_cast<int32_t>(shapes.size()));
            },
            "index"_a, "input_shapes"_a, "The shape of an output, for given input shapes.")
        .def(
            "supports_format",
            [](PluginV2Object const& self, DataType dtype, TensorFormat format) {
                return nativeOf(self).supportsFormat(dtype, format);
            },
            "dtype"_a, "format"_a, "Whether the plugin supports this type and format.")
        .def(
            "configure_with_format",
            [](PluginV2Object const& self, std::vector<Dims> const& inputs,
               std::vector<Dims> const& outputs, DataType dtype, TensorFormat format,
               int32_t maxBatchSize) {
                nativeOf(self).configureWithFormat(
                    inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                    static_cast<int32_t>(outputs.size()), dtype, format, maxBatchSize);
            },
            "input_shapes"_a, "output_shapes"_a, "dtype"_a, "format"_a, "max_batch_size"_a,
            "Tells the plugin its shapes, type and format.")
        .def(
            "get_workspace_size",
            [](PluginV2Object const& self, int32_t maxBatchSize) {
                return nativeOf(self).getWorkspaceSize(maxBatchSize);
            },
            "max_batch_size"_a, "The bytes of scratch memory that the plugin needs.")
        .def("execute_async", &executePlugin, "batch_size"_a, "inputs"_a, "outputs"_a,
             "workspace"_a, "stream_handle"_a,
             "Computes the outputs; returns 0 for success.\n\n"
             "inputs, outputs: list of capsules with the addresses. workspace: a capsule or None. "
             "stream_handle: int, the cudaStream_t to work on.");
}

/// A new object with the attributes of another.
std::unique_ptr<PluginV2DynamicExtObject> copyOfV2(PluginV2DynamicExtObject const& other) {
    if (other.native != nullptr) {
        throw py::type_error("expected a Python plugin to copy, got one of C++");
    }
    auto copy = std::make_unique<PluginV2DynamicExtObject>();
    copy->type = other.type;
    copy->version = other.version;
    copy->space = other.space;
    copy->outputCount = other.outputCount;
    return copy;
}

using Descs = std::vector<nvinfer1::PluginTensorDesc>;

std::size_t workspaceSize(PluginV2DynamicExtObject const& self, Descs const& in, Descs const& out) {
    return self.native == nullptr
               ? 0
               : static_cast<nvinfer1::IPluginV2DynamicExt*>(self.native)
                     ->getWorkspaceSize(in.data(), static_cast<int32_t>(in.size()), out.data(),
                                        static_cast<int32_t>(out.size()));
}

using DynamicExtClass = py::class_<PluginV2DynamicExtObject, PluginV2DynamicExtBaseObject>;

/// Callbacks that only Kiln calls.
void bindAuthorCallbacks(DynamicExtClass& plugin) {
    using Self = PluginV2DynamicExtObject;
    using Any = py::object const&;
    plugin
        .def("attach_to_context", documented<void, Self, Any, Any, Any>("attach_to_context"),
             "cudnn"_a, "cublas"_a, "allocator"_a,
             "Callback: the plugin now belongs to an execution context. cudnn, cublas: "
             "None; allocator: the context's IGpuAllocator. Optional.")
        .def("configure_plugin", documented<void, Self, Any, Any>("configure_plugin"), "pos"_a,
             "in_out"_a,
             "Callback: types, formats and extents were chosen. Gets the inputs and the outputs, "
             "each a list[DynamicPluginTensorDesc]. Required.")
        .def("detach_from_context", documented<void, Self>("detach_from_context"),
             "Callback: the execution context is destroyed. Optional.")
        .def("enqueue", documented<void, Self, Any, Any, Any, Any, int64_t, int64_t>("enqueue"),
             "input_desc"_a, "output_desc"_a, "inputs"_a, "outputs"_a, "workspace"_a, "stream"_a,
             "Callback: computes the outputs.\n\n"
             "input_desc, output_desc: list[PluginTensorDesc]. inputs, outputs: list[int], "
             "addresses of the tensors. workspace: int, address of the scratch memory. stream: "
             "int, the cudaStream_t to work on. Required.")
        .def("get_output_datatype", documented<void, Self, int, Any>("get_output_datatype"),
             "index"_a, "input_types"_a,
             "Callback: returns the DataType of an output. input_types: list[DataType]. Default: "
             "that of the first input, FLOAT without inputs.")
        .def("get_output_dimensions",
             documented<void, Self, int, Any, Any>("get_output_dimensions"), "output_index"_a,
             "inputs"_a, "expr_builder"_a,
             "Callback: returns the DimsExprs of an output. inputs: list[DimsExprs]; "
             "expr_builder: IExprBuilder. Required.")
        .def("supports_format_combination",
             documented<void, Self, int, Any, int>("supports_format_combination"), "pos"_a,
             "in_out"_a, "num_inputs"_a,
             "Callback: whether the tensor at ``pos`` may have the type and format in "
             "``in_out[pos]``, given those before it. in_out: list[PluginTensorDesc], inputs "
             "first. Required.");
}

void bindDynamicExt(py::module_& m) {
    using Self = PluginV2DynamicExtObject;
    DynamicExtClass plugin(m, "IPluginV2DynamicExt",
                           "A plugin with dynamic shapes. Derive from this class.");
    plugin.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(py::init(&copyOfV2), py::arg(), "A copy of the attributes.")
        .def("clone", &clonePlugin,
             "Callback: returns another plugin with the same state. Required.")
        .def(
            "destroy", [](Self const&) {},
            "Callback: called once for each clone, when it is destroyed. Optional.")
        .def("get_serialization_size", &lengthOfState,
             "Callback: returns the number of bytes of serialize(). Default: its length.")
        .def("get_workspace_size", &workspaceSize, "in"_a, "out"_a,
             "Callback: returns the bytes of scratch memory that enqueue needs. in, out: "
             "list[PluginTensorDesc]. Default: 0.")
        .def(
            "initialize",
            [](Self const& self) { return self.native == nullptr ? 0 : self.native->initialize(); },
            "Callback: called once for each engine before it runs. Optional.")
        .def("serialize", &serialize,
             "Callback: returns the bytes that a plan stores for the plugin. Required.")
        .def(
            "terminate",
            [](Self const& self) {
                if (self.native != nullptr) {
                    self.native->terminate();
                }
            },
            "Callback: called once for each engine that is destroyed. Optional.");
    bindAuthorCallbacks(plugin);
    plugin.attr("FORMAT_COMBINATION_LIMIT") =
        py::int_(nvinfer1::IPluginV2DynamicExt::kFORMAT_COMBINATION_LIMIT);
    documentationOnly(plugin,
                      {"attach_to_context", "clone", "configure_plugin", "destroy",
                       "detach_from_context", "enqueue", "get_output_datatype",
                       "get_output_dimensions", "get_serialization_size", "get_workspace_size",
                       "initialize", "serialize", "supports_format_combination", "terminate"});
}

} // namespace

void initPluginV2(py::module_& m) {
    bindBase(m);
    bindPluginV2Ext(m);
    py::class_<PluginV2DynamicExtBaseObject, PluginV2Object>(
        m, "IPluginV2DynamicExtBase", "The base class of IPluginV2DynamicExt.");
    bindDynamicExt(m);
}

} // namespace kiln::python
