// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Plugins of C++ that are older than IPluginV2DynamicExt, for users who call them from Python.
#include <algorithm>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "native_object.h"
#include "plugin_v2.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::TensorFormat;

void* pointerOf(Capsule const& capsule) {
    return capsule ? PyCapsule_GetPointer(capsule->ptr(), capsule->name()) : nullptr;
}

/// An array of bool for the native method; std::vector<bool> does not contain one.
struct Flags {
    explicit Flags(std::vector<bool> const& source) : values(new bool[source.size()]) {
        std::copy(source.begin(), source.end(), values.get());
    }
    std::unique_ptr<bool[]> values;
};

void configureExt(PluginV2ExtObject const& self, std::vector<Dims> const& inputs,
                  std::vector<Dims> const& outputs, std::vector<DataType> const& inputTypes,
                  std::vector<DataType> const& outputTypes, std::vector<bool> const& inputBroadcast,
                  std::vector<bool> const& outputBroadcast, TensorFormat format,
                  int32_t maxBatchSize) {
    if (inputTypes.size() != inputs.size() || inputBroadcast.size() != inputs.size() ||
        outputTypes.size() != outputs.size() || outputBroadcast.size() != outputs.size()) {
        throw py::value_error(fmt::format(
            "[IPluginV2Ext] configure_plugin: expected a type and a flag for each of {} inputs and "
            "{} outputs, got {} and {}, {} and {}",
            inputs.size(), outputs.size(), inputTypes.size(), inputBroadcast.size(),
            outputTypes.size(), outputBroadcast.size()));
    }
    static_cast<nvinfer1::IPluginV2Ext&>(nativeOf(self))
        .configurePlugin(inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                         static_cast<int32_t>(outputs.size()), inputTypes.data(),
                         outputTypes.data(), Flags(inputBroadcast).values.get(),
                         Flags(outputBroadcast).values.get(), format, maxBatchSize);
}

} // namespace

nvinfer1::IPluginV2& nativeOf(PluginV2Object const& self) {
    if (self.native == nullptr) {
        throw py::type_error(
            "expected a class that defines this method, got one without. The base class only "
            "declares it: define it in the derived class.");
    }
    return *self.native;
}

py::object clonePlugin(PluginV2Object const& self) {
    nvinfer1::IPluginV2* const copy = nativeOf(self).clone();
    return copy == nullptr ? py::none() : toPython(copy, true);
}

int32_t executePlugin(PluginV2Object const& self, int32_t batchSize,
                      std::vector<Capsule> const& inputs, std::vector<Capsule> const& outputs,
                      Capsule const& workspace, std::uintptr_t stream) {
    std::vector<void const*> from;
    std::vector<void*> to;
    for (Capsule const& input : inputs) {
        from.push_back(pointerOf(input));
    }
    for (Capsule const& output : outputs) {
        to.push_back(pointerOf(output));
    }
    return nativeOf(self).enqueue(batchSize, from.data(), to.data(), pointerOf(workspace),
                                  static_cast<cudaStream_t>(toPointer(stream)));
}

void bindPluginV2Ext(py::module_& m) {
    using nvinfer1::IPluginV2Ext;
    py::class_<PluginV2ExtObject, PluginV2Object>(m, "IPluginV2Ext",
                                                  "An IPluginV2 that is not IPluginV2DynamicExt.")
        .def(
            "get_output_data_type",
            [](PluginV2ExtObject const& self, int32_t index, std::vector<DataType> const& types) {
                return static_cast<IPluginV2Ext&>(nativeOf(self))
                    .getOutputDataType(index, types.data(), static_cast<int32_t>(types.size()));
            },
            "index"_a, "input_types"_a, "The type of an output, for given input types.")
        .def("configure_plugin", &configureExt, "input_shapes"_a, "output_shapes"_a,
             "input_types"_a, "output_types"_a, "input_is_broadcasted"_a, "output_is_broacasted"_a,
             "format"_a, "max_batch_size"_a, "Tells the plugin its shapes, types and format.")
        .def(
            "attach_to_context",
            [](PluginV2ExtObject const& self, Capsule const& cudnn, Capsule const& cublas,
               Capsule const& allocator) {
                static_cast<IPluginV2Ext&>(nativeOf(self))
                    .attachToContext(static_cast<cudnnContext*>(pointerOf(cudnn)),
                                     static_cast<cublasContext*>(pointerOf(cublas)),
                                     static_cast<nvinfer1::IGpuAllocator*>(pointerOf(allocator)));
            },
            "cudnn"_a, "cublas"_a, "allocator"_a,
            "Gives the plugin the handles of libraries and an allocator; None for none.")
        .def(
            "detach_from_context",
            [](PluginV2ExtObject const& self) {
                static_cast<IPluginV2Ext&>(nativeOf(self)).detachFromContext();
            },
            "Undoes attach_to_context.")
        .def("clone", &clonePlugin, "Another plugin with the same state.");
}

} // namespace kiln::python
