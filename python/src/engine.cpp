// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "deprecated.h"
#include "failure.h"
#include "keep_alive.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;
using EngineClass = py::class_<ICudaEngine>;
using NoEngineBatch =
    Deprecated<"ICudaEngine.has_implicit_batch_dimension", "nothing: it is always False">;
using OldBudget = Deprecated<"ICudaEngine.weight_streaming_budget", "weight_streaming_budget_v2">;

constexpr std::array kProfileSelectors{OptProfileSelector::kMIN, OptProfileSelector::kOPT,
                                       OptProfileSelector::kMAX};

std::vector<Dims> profileShape(ICudaEngine const& self, char const* name, int32_t profile) {
    std::vector<Dims> shapes;
    for (OptProfileSelector const selector : kProfileSelectors) {
        shapes.push_back(self.getProfileShape(name, profile, selector));
    }
    return shapes;
}

/// Three lists with as many values as the tensor has elements: 1 for a scalar, else its extent.
std::vector<std::vector<int64_t>> profileValues(ICudaEngine const& self, char const* name,
                                                int32_t profile) {
    std::vector<std::vector<int64_t>> result;
    Dims const shape = self.getTensorShape(name);
    for (OptProfileSelector const selector : kProfileSelectors) {
        int64_t const* const values = self.getProfileTensorValuesV2(name, profile, selector);
        if (values == nullptr || shape.nbDims < 0 || shape.nbDims > 1) {
            return {};
        }
        result.emplace_back(values, values + (shape.nbDims == 0 ? 1 : shape.d[0]));
    }
    return result;
}

char const* nameAt(ICudaEngine const& self, int32_t index) {
    int32_t const count = self.getNbIOTensors();
    int32_t const at = index < 0 ? index + count : index;
    if (at < 0 || at >= count) {
        throw py::index_error(
            fmt::format("[engine] index {} is out of range for {} tensors", index, count));
    }
    return self.getIOTensorName(at);
}

/// Binds a getter of a tensor and its overload with a profile index.
template <typename R>
void bindPerProfile(EngineClass& cls, char const* name,
                    R (ICudaEngine::*get)(char const*) const noexcept,
                    R (ICudaEngine::*getFor)(char const*, int32_t) const noexcept,
                    char const* doc) {
    cls.def(name, get, "name"_a, doc).def(name, getFor, "name"_a, "profile_index"_a, doc);
}

void bindTensors(EngineClass& cls) {
    cls.def("__getitem__", &nameAt)
        .def("get_tensor_name", &ICudaEngine::getIOTensorName, "index"_a,
             "The name of the input or output of a given index, None if there is none.")
        .def("get_tensor_shape", &ICudaEngine::getTensorShape, "name"_a,
             "The Dims of a tensor, -1 for extents that change from run to run.")
        .def("get_tensor_dtype", &ICudaEngine::getTensorDataType, "name"_a,
             "The DataType of a tensor.")
        .def("get_tensor_mode", &ICudaEngine::getTensorIOMode, "name"_a,
             "The TensorIOMode of a tensor: INPUT, OUTPUT, or NONE if there is no such tensor.")
        .def("get_tensor_location", &ICudaEngine::getTensorLocation, "name"_a,
             "The TensorLocation of a tensor.")
        .def("is_shape_inference_io", &ICudaEngine::isShapeInferenceIO, "name"_a,
             "Whether the values of a tensor decide shapes.")
        .def("is_debug_tensor", &ICudaEngine::isDebugTensor, "name"_a,
             "Whether a tensor is a debug tensor.")
        .def("get_aliased_input_tensor", &ICudaEngine::getAliasedInputTensor, "name"_a,
             "The input whose memory an output shares, None if there is none.")
        .def("get_tensor_profile_shape", &profileShape, "name"_a, "profile_index"_a,
             "The minimum, optimum and maximum Dims of an input in a profile, as a list.")
        .def("get_tensor_profile_values", &profileValues, "name"_a, "profile_index"_a,
             "The minimum, optimum and maximum values of a shape tensor input, as three lists.")
        // TensorRT documents the index first, although the argument names are in this order.
        .def(
            "get_tensor_profile_values",
            [](ICudaEngine const& self, int32_t profile, char const* tensor) {
                return profileValues(self, tensor, profile);
            },
            "name"_a, "profile_index"_a,
            "The same with the index of the profile first and the tensor's name second.");
    bindPerProfile(cls, "get_tensor_bytes_per_component", &ICudaEngine::getTensorBytesPerComponent,
                   &ICudaEngine::getTensorBytesPerComponent, "The bytes of a component.");
    bindPerProfile(cls, "get_tensor_components_per_element",
                   &ICudaEngine::getTensorComponentsPerElement,
                   &ICudaEngine::getTensorComponentsPerElement,
                   "The components of a vectorised element, -1 if it is not vectorised.");
    bindPerProfile(cls, "get_tensor_format", &ICudaEngine::getTensorFormat,
                   &ICudaEngine::getTensorFormat, "The TensorFormat of a tensor.");
    bindPerProfile(cls, "get_tensor_format_desc", &ICudaEngine::getTensorFormatDesc,
                   &ICudaEngine::getTensorFormatDesc, "A description of the format of a tensor.");
    bindPerProfile(cls, "get_tensor_vectorized_dim", &ICudaEngine::getTensorVectorizedDim,
                   &ICudaEngine::getTensorVectorizedDim,
                   "The dimension that is vectorised, -1 for none.");
}

void bindObjects(EngineClass& cls) {
    cls.def(
           "create_execution_context",
           [](ICudaEngine& self, ExecutionContextAllocationStrategy strategy) {
               return apiCall([&] { return self.createExecutionContext(strategy); });
           },
           "strategy"_a = ExecutionContextAllocationStrategy::kSTATIC, KeepAlive<0, 1>(),
           "Creates an IExecutionContext, None on failure.\n\n"
           "strategy: when its memory is allocated. Default: STATIC, at once.")
        .def(
            "create_execution_context",
            [](ICudaEngine& self, IRuntimeConfig* config) {
                return apiCall([&] { return self.createExecutionContext(config); });
            },
            "runtime_config"_a = nullptr, KeepAlive<0, 1>(), KeepAlive<0, 2>(),
            "Creates an IExecutionContext with given settings, None on failure.")
        .def("create_execution_context_without_device_memory",
             &ICudaEngine::createExecutionContextWithoutDeviceMemory, KeepAlive<0, 1>(),
             Deprecated<"ICudaEngine.create_execution_context_without_device_memory",
                        "create_execution_context(ExecutionContextAllocationStrategy."
                        "USER_MANAGED)">(),
             "Deprecated: use create_execution_context(USER_MANAGED).")
        .def("create_runtime_config", &ICudaEngine::createRuntimeConfig, KeepAlive<0, 1>(),
             "Creates an IRuntimeConfig with default settings.")
        .def("create_serialization_config", &ICudaEngine::createSerializationConfig,
             KeepAlive<0, 1>(), "Creates an ISerializationConfig with default settings.")
        .def("create_engine_inspector", &ICudaEngine::createEngineInspector, KeepAlive<0, 1>(),
             "Creates an EngineInspector.")
        .def("serialize", &ICudaEngine::serialize, "The plan as IHostMemory.")
        .def("serialize_with_config", &ICudaEngine::serializeWithConfig, py::arg(),
             "The plan as IHostMemory, with the settings of an ISerializationConfig.");
}

void bindProperties(EngineClass& cls) {
    cls.def_property_readonly("name", &ICudaEngine::getName, "str: the name of the network.")
        .def_property_readonly("num_io_tensors", &ICudaEngine::getNbIOTensors,
                               "int: the number of inputs and outputs.")
        .def_property_readonly("num_layers", &ICudaEngine::getNbLayers,
                               "int: the number of layers after fusion.")
        .def_property_readonly("num_optimization_profiles", &ICudaEngine::getNbOptimizationProfiles,
                               "int: the number of profiles.")
        .def_property_readonly("num_aux_streams", &ICudaEngine::getNbAuxStreams,
                               "int: additional streams that the engine uses.")
        .def_property_readonly("refittable", &ICudaEngine::isRefittable,
                               "bool: whether weights can be replaced.")
        .def_property_readonly("engine_capability", &ICudaEngine::getEngineCapability,
                               "EngineCapability: the kind of runtime that it needs.")
        .def_property_readonly("hardware_compatibility_level",
                               &ICudaEngine::getHardwareCompatibilityLevel,
                               "HardwareCompatibilityLevel: on which other GPUs it runs.")
        .def_property_readonly("profiling_verbosity", &ICudaEngine::getProfilingVerbosity,
                               "ProfilingVerbosity: what it stores about its layers.")
        .def_property_readonly("tactic_sources", &ICudaEngine::getTacticSources,
                               "int: bits of TacticSource that the build could use.")
        .def_property_readonly(
            "has_implicit_batch_dimension",
            py::cpp_function(&ICudaEngine::hasImplicitBatchDimension, NoEngineBatch()),
            "bool: deprecated, always False.")
        .def_property("error_recorder", &ICudaEngine::getErrorRecorder,
                      py::cpp_function(&ICudaEngine::setErrorRecorder, KeepAlive<1, 2>()),
                      "IErrorRecorder | None: gets the errors of this engine.")
        .def("get_engine_stat", &ICudaEngine::getEngineStat,
             "stat"_a = EngineStat::kTOTAL_WEIGHTS_SIZE, "A statistic of the engine.");
}

void bindMemory(EngineClass& cls) {
    cls.def_property_readonly(
           "device_memory_size",
           py::cpp_function(
               &ICudaEngine::getDeviceMemorySize,
               Deprecated<"ICudaEngine.device_memory_size", "device_memory_size_v2">()),
           "int: deprecated, use device_memory_size_v2.")
        .def_property_readonly("device_memory_size_v2", &ICudaEngine::getDeviceMemorySizeV2,
                               "int: bytes of device memory that a context needs.")
        .def("get_device_memory_size_for_profile", &ICudaEngine::getDeviceMemorySizeForProfile,
             "profile_index"_a,
             Deprecated<"ICudaEngine.get_device_memory_size_for_profile",
                        "get_device_memory_size_for_profile_v2">(),
             "Deprecated: use get_device_memory_size_for_profile_v2.")
        .def("get_device_memory_size_for_profile_v2", &ICudaEngine::getDeviceMemorySizeForProfileV2,
             "profile_index"_a, "Bytes of device memory that a context needs for one profile.")
        .def_property_readonly("streamable_weights_size", &ICudaEngine::getStreamableWeightsSize,
                               "int: bytes of weights that can be streamed.")
        .def_property("weight_streaming_budget",
                      py::cpp_function(&ICudaEngine::getWeightStreamingBudget, OldBudget()),
                      py::cpp_function(&ICudaEngine::setWeightStreamingBudget, OldBudget()),
                      "int: deprecated, use weight_streaming_budget_v2.")
        .def_property("weight_streaming_budget_v2", &ICudaEngine::getWeightStreamingBudgetV2,
                      &ICudaEngine::setWeightStreamingBudgetV2,
                      "int: bytes of weights kept on the device.")
        .def_property_readonly(
            "minimum_weight_streaming_budget",
            py::cpp_function(&ICudaEngine::getMinimumWeightStreamingBudget,
                             Deprecated<"ICudaEngine.minimum_weight_streaming_budget",
                                        "0, the smallest weight_streaming_budget_v2">()),
            "int: deprecated, the smallest budget.")
        .def("get_weight_streaming_automatic_budget",
             &ICudaEngine::getWeightStreamingAutomaticBudget, "A budget that suits this device.")
        .def_property_readonly("weight_streaming_scratch_memory_size",
                               &ICudaEngine::getWeightStreamingScratchMemorySize,
                               "int: bytes of scratch memory that streaming needs.");
}

} // namespace

void initEngine(py::module_& m) {
    py::class_<ISerializationConfig>(m, "ISerializationConfig", "The settings of a plan.")
        .def_property("flags", &ISerializationConfig::getFlags, &ISerializationConfig::setFlags,
                      "int: bits of SerializationFlag.")
        .def("set_flag", &ISerializationConfig::setFlag, "flag"_a,
             "Switches a SerializationFlag on; returns success.")
        .def("clear_flag", &ISerializationConfig::clearFlag, "flag"_a,
             "Switches a SerializationFlag off; returns success.")
        .def("get_flag", &ISerializationConfig::getFlag, "flag"_a,
             "Whether a SerializationFlag is on.");

    py::class_<IEngineInspector>(m, "EngineInspector", "Describes an engine and its layers.")
        .def_property("execution_context", &IEngineInspector::getExecutionContext,
                      py::cpp_function(&IEngineInspector::setExecutionContext, KeepAlive<1, 2>()),
                      py::return_value_policy::reference,
                      "IExecutionContext | None: the context whose shapes are shown.")
        .def("get_layer_information", &IEngineInspector::getLayerInformation, "layer_index"_a,
             "format"_a, "A description of a layer, in a LayerInformationFormat.")
        .def("get_engine_information", &IEngineInspector::getEngineInformation, "format"_a,
             "A description of the engine, in a LayerInformationFormat.")
        .def_property("error_recorder", &IEngineInspector::getErrorRecorder,
                      py::cpp_function(&IEngineInspector::setErrorRecorder, KeepAlive<1, 2>()),
                      "IErrorRecorder | None: gets the errors of this inspector.");

    EngineClass cls(m, "ICudaEngine",
                    "A built network, ready to run. Made by Runtime.deserialize_cuda_engine.");
    bindTensors(cls);
    bindObjects(cls);
    bindProperties(cls);
    bindMemory(cls);
    bindOwnedObject(cls);
}

} // namespace kiln::python
