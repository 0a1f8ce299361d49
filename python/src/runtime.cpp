// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.h"
#include "byte_view.h"
#include "failure.h"
#include "keep_alive.h"
#include "native_object.h"
#include "registry.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;
using Path = std::filesystem::path;

std::unique_ptr<IRuntime> newRuntime(ILogger& logger) {
    forgetError();
    std::unique_ptr<IRuntime> runtime(apiCall([&] { return createInferRuntime(logger); }));
    if (runtime == nullptr) {
        throw std::runtime_error(reportedError("[runtime] could not be made"));
    }
    return runtime;
}

ICudaEngine* deserialize(IRuntime& self, py::buffer const& plan) {
    ByteView const bytes(plan);
    return apiCall([&] { return self.deserializeCudaEngine(bytes.data(), bytes.size()); });
}

/// Opens an engine from a reader of either generation.
template <typename Reader>
ICudaEngine* deserializeFrom(IRuntime& self, Reader& reader) {
    return apiCall([&] { return self.deserializeCudaEngine(reader); });
}

} // namespace

void initRuntime(py::module_& m) {
    py::class_<IRuntime> cls(m, "Runtime",
                             "Opens engines.\n\nExample: ``runtime = trt.Runtime(trt.Logger())``.");
    cls.def(py::init(&newRuntime), "logger"_a, KeepAlive<1, 2>(),
            "logger: ILogger, gets the messages of this runtime and of its engines; kept alive.")
        .def("deserialize_cuda_engine", &deserialize, "serialized_engine"_a, KeepAlive<0, 1>(),
             "Opens an engine; returns it, None on failure.\n\n"
             "serialized_engine: bytes of a plan, any buffer. The reason for a failure is in the "
             "log: not a plan, another version, a plugin that is not registered.")
        .def("deserialize_cuda_engine", &deserializeFrom<IStreamReader>, "stream_reader"_a,
             KeepAlive<0, 1>(), "Opens an engine that an IStreamReader reads.")
        .def("deserialize_cuda_engine", &deserializeFrom<IStreamReaderV2>, "stream_reader_v2"_a,
             KeepAlive<0, 1>(), "Opens an engine that an IStreamReaderV2 reads.")
        .def(
            "get_plugin_registry",
            [](py::object const& self) {
                return registryOfOwner(self, self.cast<IRuntime&>().getPluginRegistry());
            },
            "The IPluginRegistry that engines take plugins from: the runtime's own, whose parent "
            "is the registry of the process.")
        .def(
            "load_runtime",
            [](IRuntime& self, Path const& path) { return self.loadRuntime(path.c_str()); },
            "path"_a, KeepAlive<0, 1>(), "Loads a runtime from a library; None on failure.")
        .def_property(
            "max_threads", &IRuntime::getMaxThreads,
            [](IRuntime& self, int32_t count) {
                if (!self.setMaxThreads(count)) {
                    throw py::value_error(
                        fmt::format("[runtime] max_threads: expected 1 or more, got {}", count));
                }
            },
            "int: the maximum number of threads for opening an engine.")
        .def_property("error_recorder", &IRuntime::getErrorRecorder,
                      py::cpp_function(&IRuntime::setErrorRecorder, KeepAlive<1, 2>()),
                      "IErrorRecorder | None: gets the errors of this runtime.")
        .def_property("gpu_allocator", nullptr,
                      py::cpp_function(&IRuntime::setGpuAllocator, KeepAlive<1, 2>()),
                      "IGpuAllocator | None: allocates device memory; write only.")
        .def_property_readonly("logger", &IRuntime::getLogger, py::return_value_policy::reference,
                               "ILogger: the logger given to the constructor.")
        .def_property("DLA_core", &IRuntime::getDLACore, &IRuntime::setDLACore,
                      "int: the DLA core; -1 for none.")
        .def_property_readonly("num_DLA_cores", &IRuntime::getNbDLACores,
                               "int: the number of DLA cores; 0.")
        .def_property(
            "temporary_directory", &IRuntime::getTemporaryDirectory,
            [](IRuntime& self, std::optional<Path> const& path) {
                self.setTemporaryDirectory(path ? path->c_str() : nullptr);
            },
            "str | None: the folder for temporary files.")
        .def_property("tempfile_control_flags", &IRuntime::getTempfileControlFlags,
                      &IRuntime::setTempfileControlFlags, "int: bits of TempfileControlFlag.")
        .def_property("engine_host_code_allowed", &IRuntime::getEngineHostCodeAllowed,
                      &IRuntime::setEngineHostCodeAllowed,
                      "bool: whether code inside a plan may run on the host. Default: False.");
    bindOwnedObject(cls);
}

} // namespace kiln::python
