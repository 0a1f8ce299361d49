// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "bound_arrays.h"
#include "failure.h"
#include "keep_alive.h"
#include "keep_latest.h"
#include "native_object.h"
#include "run_method.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;
using ContextClass = py::class_<IExecutionContext>;

cudaStream_t streamFrom(std::uintptr_t handle) {
    return static_cast<cudaStream_t>(toPointer(handle));
}

class PythonDebugListener final : public IDebugListener {
public:
    APILanguage getAPILanguage() const noexcept override { return APILanguage::kPYTHON; }
    bool processDebugTensor(void const* address, TensorLocation location, DataType type,
                            Dims const& shape, char const* name, cudaStream_t stream) override {
        Gil const gil; // the result is released here
        // Listeners return nothing; an exception fails the run, as in all callbacks.
        return !gil || callUser(static_cast<IDebugListener const*>(this), "process_debug_tensor",
                                py::object(), toAddress(address), location, type, shape, name,
                                toAddress(stream))
                               .ptr() != nullptr;
    }
};

bool executeAsync(IExecutionContext& self, std::uintptr_t stream) {
    return apiCall([&] { return self.enqueueV3(streamFrom(stream)); });
}

bool executeSync(IExecutionContext& self, Bindables const& bindings) {
    auto const expected = static_cast<std::size_t>(self.getEngine().getNbIOTensors());
    if (bindings.size() != expected) {
        throw py::value_error(fmt::format(
            "[context] bindings: expected {} addresses, one for each input and output, got {}",
            expected, bindings.size()));
    }
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < expected; ++i) {
        char const* const name = self.getEngine().getIOTensorName(static_cast<int32_t>(i));
        pointers.push_back(toPointer(addressToBind(self, name, bindings[i])));
    }
    return apiCall([&] { return self.executeV2(pointers.data()); });
}

std::vector<std::string> inferShapes(IExecutionContext& self) {
    std::vector<char const*> names(static_cast<std::size_t>(self.getEngine().getNbIOTensors()));
    forgetKept();
    forgetError();
    int32_t count = 0;
    {
        GilReleased const released;
        count = self.inferShapes(static_cast<int32_t>(names.size()), names.data());
    }
    if (count < 0) {
        raiseKept();
        throw std::runtime_error(reportedError("[context] infer_shapes: the shapes are not known"));
    }
    names.resize(std::min(names.size(), static_cast<std::size_t>(count)));
    return {names.begin(), names.end()};
}

bool setInputShape(IExecutionContext& self, char const* name, Dims const& shape) {
    return self.setInputShape(name, shape);
}

bool setTensorAddress(py::object const& owner, char const* name, Bindable const& memory) {
    auto& self = owner.cast<IExecutionContext&>();
    std::uintptr_t const address = addressToBind(self, name, memory);
    if (!self.setTensorAddress(name, toPointer(address))) {
        return false;
    }
    keepBound(owner, name, memory);
    return true;
}

std::uintptr_t tensorAddress(IExecutionContext const& self, char const* name) {
    return toAddress(self.getTensorAddress(name));
}

void setAuxStreams(IExecutionContext& self, std::vector<std::uintptr_t> const& handles) {
    std::vector<cudaStream_t> streams;
    for (std::uintptr_t const handle : handles) {
        streams.push_back(streamFrom(handle));
    }
    self.setAuxStreams(streams.data(), static_cast<int32_t>(streams.size()));
}

void bindRunning(ContextClass& cls) {
    cls.def("execute_async_v3", &executeAsync, "stream_handle"_a,
            "Runs the engine on a stream; returns success.\n\n"
            "stream_handle: int, a cudaStream_t; pass 0 on the cpu target, where the work is done "
            "when this returns. Set the address of every input and output first.")
        .def(
            "execute_v2", &executeSync, "bindings"_a,
            "Runs the engine and waits; returns success.\n\n"
            "bindings: list[int | DeviceArray], the address of each input and output, in the order "
            "of the engine. Type and size of a kiln.DeviceArray are checked.")
        .def("infer_shapes", &inferShapes,
             "Computes output shapes; returns the names of inputs that lack a shape or value.")
        .def("set_input_shape", &setInputShape, "name"_a, "shape"_a,
             "Sets the shape of an input, within the profile's bounds; returns success.")
        .def("get_tensor_shape", &IExecutionContext::getTensorShape, "name"_a,
             "The Dims of a tensor for the current input shapes; -1 if not yet known.")
        .def("get_tensor_strides", &IExecutionContext::getTensorStrides, "name"_a,
             "The strides of a tensor, in elements, as Dims.")
        .def("set_tensor_address", &setTensorAddress, "name"_a, "memory"_a,
             "Sets the address of an input or output; returns success.\n\n"
             "memory: int, an address in device memory (host memory on the cpu target); or a "
             "kiln.DeviceArray, whose type and size are checked, and which is kept alive while "
             "bound.")
        .def("get_tensor_address", &tensorAddress, "name"_a,
             "The address of an input or output, as an int; 0 if it was not set.")
        .def(
            "set_optimization_profile_async",
            [](IExecutionContext& self, int32_t index, std::uintptr_t stream) {
                return apiCall(
                    [&] { return self.setOptimizationProfileAsync(index, streamFrom(stream)); });
            },
            "profile_index"_a, "stream_handle"_a, "Selects a profile; returns success.")
        .def_property_readonly("active_optimization_profile",
                               &IExecutionContext::getOptimizationProfile,
                               "int: the selected profile, -1 for none.")
        .def_property_readonly("all_binding_shapes_specified",
                               &IExecutionContext::allInputDimensionsSpecified,
                               "bool: whether every input has a shape.")
        .def_property_readonly("all_shape_inputs_specified",
                               &IExecutionContext::allInputShapesSpecified,
                               "bool: deprecated, whether every shape tensor input has values.");
}

void bindOutputsAndMemory(ContextClass& cls) {
    cls.def("set_output_allocator", &IExecutionContext::setOutputAllocator, "name"_a,
            "output_allocator"_a, KeepAlive<1, 3>(),
            "Sets the allocator of an output of unknown size; returns success.")
        .def("get_output_allocator", &IExecutionContext::getOutputAllocator, "name"_a,
             py::return_value_policy::reference, "The IOutputAllocator of an output, or None.")
        .def("get_max_output_size", &IExecutionContext::getMaxOutputSize, "name"_a,
             "The maximum bytes of an output for the current input shapes.")
        .def(
            "set_device_memory",
            [](IExecutionContext& self, std::uintptr_t memory, int64_t size) {
                self.setDeviceMemoryV2(toPointer(memory), size);
            },
            "memory"_a, "size"_a, "Sets the scratch memory of a USER_MANAGED context.")
        .def_property(
            "device_memory", nullptr,
            [](IExecutionContext& self, std::uintptr_t memory) {
                self.setDeviceMemory(toPointer(memory));
            },
            "int: deprecated, use set_device_memory; write only.")
        .def("update_device_memory_size_for_shapes",
             &IExecutionContext::updateDeviceMemorySizeForShapes,
             "The bytes of scratch memory needed for the current input shapes.")
        .def_property("persistent_cache_limit", &IExecutionContext::getPersistentCacheLimit,
                      &IExecutionContext::setPersistentCacheLimit,
                      "int: bytes of L2 cache that may be set aside.")
        .def_property(
            "temporary_allocator", &IExecutionContext::getTemporaryStorageAllocator,
            py::cpp_function(&IExecutionContext::setTemporaryStorageAllocator, KeepAlive<1, 2>()),
            py::return_value_policy::reference,
            "IGpuAllocator | None: allocates temporary storage. Kiln never calls it.");
}

void bindStreams(ContextClass& cls) {
    cls.def("set_aux_streams", &setAuxStreams, "aux_streams"_a,
            "Sets the additional streams, a list[int].")
        .def(
            "set_input_consumed_event",
            [](IExecutionContext& self, std::uintptr_t event) {
                return self.setInputConsumedEvent(static_cast<cudaEvent_t>(toPointer(event)));
            },
            "event"_a, "Sets the event that signals when inputs may change; returns success.")
        .def(
            "get_input_consumed_event",
            [](IExecutionContext const& self) { return toAddress(self.getInputConsumedEvent()); },
            "The event that signals when inputs may change, as an int.")
        .def("set_communicator", &IExecutionContext::setCommunicator, "communicator"_a,
             "Sets the communicator of several devices; returns success.");
}

void bindDiagnostics(ContextClass& cls) {
    cls.def_property("profiler", &IExecutionContext::getProfiler,
                     py::cpp_function(&IExecutionContext::setProfiler, KeepLatest()),
                     py::return_value_policy::reference, "IProfiler | None: gets layer times.")
        .def_property("enqueue_emits_profile", &IExecutionContext::getEnqueueEmitsProfile,
                      &IExecutionContext::setEnqueueEmitsProfile,
                      "bool: whether each run reports to the profiler. Default: True.")
        .def("report_to_profiler", &IExecutionContext::reportToProfiler,
             "Reports the last run to the profiler; returns success.")
        .def_property("debug_sync", &IExecutionContext::getDebugSync,
                      &IExecutionContext::setDebugSync,
                      "bool: whether to wait after each layer. Default: False.")
        .def_property("nvtx_verbosity", &IExecutionContext::getNvtxVerbosity,
                      &IExecutionContext::setNvtxVerbosity,
                      "ProfilingVerbosity: how detailed NVTX ranges are.")
        .def("set_debug_listener", &IExecutionContext::setDebugListener, "listener"_a, KeepLatest(),
             "Sets the listener for debug tensors; returns success.")
        .def("get_debug_listener", &IExecutionContext::getDebugListener,
             py::return_value_policy::reference, "The IDebugListener, or None.")
        .def("set_tensor_debug_state", &IExecutionContext::setTensorDebugState, "name"_a, "flag"_a,
             "Switches a debug tensor on or off; returns success.")
        .def("get_debug_state", &IExecutionContext::getDebugState, "name"_a,
             "Whether a debug tensor is on.")
        .def("set_all_tensors_debug_state", &IExecutionContext::setAllTensorsDebugState, "flag"_a,
             "Switches all debug tensors on or off; returns success.")
        .def_property("unfused_tensors_debug_state",
                      &IExecutionContext::getUnfusedTensorsDebugState,
                      &IExecutionContext::setUnfusedTensorsDebugState,
                      "bool: whether unfused tensors go to the debug listener.")
        .def_property("error_recorder", &IExecutionContext::getErrorRecorder,
                      py::cpp_function(&IExecutionContext::setErrorRecorder, KeepLatest()),
                      "IErrorRecorder | None: gets the errors of this context.");
}

} // namespace

void initContext(py::module_& m) {
    py::class_<IRuntimeConfig>(m, "IRuntimeConfig", "The settings of an execution context.")
        .def("set_execution_context_allocation_strategy",
             &IRuntimeConfig::setExecutionContextAllocationStrategy,
             "strategy"_a = ExecutionContextAllocationStrategy::kSTATIC,
             "Sets when the memory of a context is allocated.")
        .def("get_execution_context_allocation_strategy",
             &IRuntimeConfig::getExecutionContextAllocationStrategy,
             "When the memory of a context is allocated.");

    py::class_<IDebugListener, PythonDebugListener>(
        m, "IDebugListener",
        "Receives debug tensors. Derive from this class and define process_debug_tensor().")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(
            "process_debug_tensor",
            [](IDebugListener& self, std::uintptr_t addr, TensorLocation location, DataType type,
               Dims const& shape, char const* name, std::uintptr_t stream) {
                self.processDebugTensor(reinterpret_cast<void const*>(addr), location, type, shape,
                                        name, streamFrom(stream));
            },
            "addr"_a, "location"_a, "type"_a, "shape"_a, "name"_a, "stream"_a,
            "Callback: the values of a debug tensor are ready, at address ``addr``.");

    ContextClass cls(m, "IExecutionContext",
                     "The state for runs of an engine: shapes, addresses, scratch memory. Use it "
                     "on one thread at a time. Made by ICudaEngine.create_execution_context.");
    bindRunning(cls);
    shortenRun(cls);
    bindOutputsAndMemory(cls);
    bindStreams(cls);
    bindDiagnostics(cls);
    cls.def_property("name", &IExecutionContext::getName, &IExecutionContext::setName,
                     "str: the name of the context.")
        .def_property_readonly("engine", &IExecutionContext::getEngine,
                               py::return_value_policy::reference,
                               "ICudaEngine: the engine of this context.")
        .def("get_runtime_config", &IExecutionContext::getRuntimeConfig,
             py::return_value_policy::take_ownership, KeepAlive<0, 1>(),
             "A copy of the IRuntimeConfig that this context was made with.");
    bindOwnedObject(cls);
}

} // namespace kiln::python
