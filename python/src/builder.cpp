// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "bindings.h"
#include "failure.h"
#include "keep_alive.h"
#include "native_object.h"
#include "registry.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

std::unique_ptr<IBuilder> makeBuilder(ILogger& logger) {
    forgetError();
    std::unique_ptr<IBuilder> builder(apiCall([&] { return createInferBuilder(logger); }));
    if (builder == nullptr) {
        throw std::runtime_error(reportedError("[builder] could not be made"));
    }
    return builder;
}

/// The progress bar of one build, where somebody sees it; none if the configuration has a monitor.
class ShownProgress {
public:
    explicit ShownProgress(IBuilderConfig& config) : config_(config) {
        if (config.getProgressMonitor() == nullptr) {
            bar_ = py::module_::import("kiln._progress").attr("of_builds")();
        }
        if (!bar_.is_none()) {
            config_.setProgressMonitor(bar_.cast<IProgressMonitor*>());
        }
    }
    ~ShownProgress() {
        if (!bar_.is_none()) {
            config_.setProgressMonitor(nullptr);
        }
    }
    ShownProgress(ShownProgress const&) = delete;
    ShownProgress& operator=(ShownProgress const&) = delete;

private:
    IBuilderConfig& config_;
    py::object bar_ = py::none();
};

IHostMemory* build(IBuilder& self, INetworkDefinition& network, IBuilderConfig& config) {
    ShownProgress const progress(config);
    return apiCall([&] { return self.buildSerializedNetwork(network, config); });
}

ICudaEngine* buildEngine(IBuilder& self, INetworkDefinition& network, IBuilderConfig& config) {
    ShownProgress const progress(config);
    return apiCall([&] { return self.buildEngineWithConfig(network, config); });
}

bool buildToStream(IBuilder& self, INetworkDefinition& network, IBuilderConfig& config,
                   IStreamWriter& writer) {
    ShownProgress const progress(config);
    return apiCall([&] { return self.buildSerializedNetworkToStream(network, config, writer); });
}

bool isSupported(IBuilder const& self, INetworkDefinition const& network,
                 IBuilderConfig const& config) {
    return apiCall([&] { return self.isNetworkSupported(network, config); });
}

} // namespace

void initBuilder(py::module_& m) {
    py::class_<IBuilder> cls(m, "Builder",
                             "Creates networks, and builds engines from them.\n\n"
                             "Example: ``builder = trt.Builder(trt.Logger())``.");
    cls.def(py::init(&makeBuilder), "logger"_a, KeepAlive<1, 2>(),
            "logger: ILogger, gets the messages of this builder and its objects; kept alive.")
        .def("create_network", &IBuilder::createNetworkV2, "flags"_a = 0, KeepAlive<0, 1>(),
             "Creates an empty INetworkDefinition.\n\n"
             "flags: bits of NetworkDefinitionCreationFlag, such as "
             "``1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)``. Default: 0.")
        .def("create_builder_config", &IBuilder::createBuilderConfig, KeepAlive<0, 1>(),
             "Creates an IBuilderConfig with default settings.")
        .def("create_optimization_profile", &IBuilder::createOptimizationProfile, kInternal,
             "Creates an empty IOptimizationProfile.")
        .def("build_serialized_network", &build, "network"_a, "config"_a,
             "Builds an engine; returns the plan as IHostMemory, None on failure.\n\n"
             "The reason for a failure is in the log. Callbacks of plugins run meanwhile.")
        .def("build_engine_with_config", &buildEngine, "network"_a, "config"_a, KeepAlive<0, 1>(),
             "Builds an engine; returns it, None on failure.")
        .def("build_serialized_network_to_stream", &buildToStream, "network"_a, "config"_a,
             "writer"_a, "Builds an engine into an IStreamWriter; returns success.")
        .def("is_network_supported", &isSupported, "network"_a, "config"_a,
             "Whether an engine can be built; if not, the reason is in the log.")
        .def("reset", &IBuilder::reset, "Restores all defaults.")
        .def(
            "get_plugin_registry",
            [](py::object const& self) {
                return registryOfOwner(self, self.cast<IBuilder&>().getPluginRegistry());
            },
            "The builder's own IPluginRegistry; its parent is the registry of the process.")
        .def_property(
            "max_threads", &IBuilder::getMaxThreads,
            [](IBuilder& self, int32_t count) {
                if (!self.setMaxThreads(count)) {
                    throw py::value_error(
                        fmt::format("[builder] max_threads: expected 1 or more, got {}", count));
                }
            },
            "int: the maximum number of threads of a build.")
        .def_property("error_recorder", &IBuilder::getErrorRecorder,
                      py::cpp_function(&IBuilder::setErrorRecorder, KeepAlive<1, 2>()),
                      "IErrorRecorder | None: gets the errors of this builder.")
        .def_property("gpu_allocator", nullptr,
                      py::cpp_function(&IBuilder::setGpuAllocator, KeepAlive<1, 2>()),
                      "IGpuAllocator | None: allocates device memory; write only.")
        .def_property_readonly("logger", &IBuilder::getLogger, py::return_value_policy::reference,
                               "ILogger: the logger given to the constructor.")
        .def_property_readonly("max_DLA_batch_size", &IBuilder::getMaxDLABatchSize,
                               "int: largest batch of a DLA.")
        .def_property_readonly("num_DLA_cores", &IBuilder::getNbDLACores,
                               "int: the number of DLA cores; 0.")
        .def_property_readonly("platform_has_fast_fp16", &IBuilder::platformHasFastFp16,
                               "bool: deprecated, whether half is faster than float here.")
        .def_property_readonly("platform_has_fast_int8", &IBuilder::platformHasFastInt8,
                               "bool: deprecated, whether int8 is faster than float here.")
        .def_property_readonly("platform_has_tf32", &IBuilder::platformHasTf32,
                               "bool: deprecated, whether TF32 exists here.");
    bindOwnedObject(cls);
}

} // namespace kiln::python
