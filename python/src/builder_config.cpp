// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.h"
#include "byte_view.h"
#include "deprecated.h"
#include "failure.h"
#include "keep_alive.h"
#include "keep_latest.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::IBuilderConfig;
using nvinfer1::ITimingCache;
using ConfigClass = py::class_<IBuilderConfig>;
constexpr Words kLayers{"quantize and dequantize layers"};

/// Wraps a native setter that returns whether it accepted the value.
template <typename T>
auto checkedSetter(bool (IBuilderConfig::*set)(T) noexcept, char const* name) {
    return [set, name](IBuilderConfig& self, T value) {
        forgetError();
        if (!(self.*set)(value)) {
            throw py::value_error(
                reportedError(fmt::format("[config] {}: the value was refused", name)));
        }
    };
}

void bindFlags(ConfigClass& cls) {
    cls.def("set_flag", &IBuilderConfig::setFlag, "flag"_a, "Switches a BuilderFlag on.")
        .def("clear_flag", &IBuilderConfig::clearFlag, "flag"_a, "Switches a BuilderFlag off.")
        .def("get_flag", &IBuilderConfig::getFlag, "flag"_a, "Whether a BuilderFlag is on.")
        .def_property("flags", &IBuilderConfig::getFlags, &IBuilderConfig::setFlags,
                      "int: bits of BuilderFlag.")
        .def("set_preview_feature", &IBuilderConfig::setPreviewFeature, "feature"_a, "enable"_a,
             "Switches a PreviewFeature on or off.")
        .def("get_preview_feature", &IBuilderConfig::getPreviewFeature, "feature"_a,
             "Whether a PreviewFeature is on.")
        .def("set_quantization_flag", &IBuilderConfig::setQuantizationFlag, "flag"_a,
             "Switches a QuantizationFlag on.")
        .def("clear_quantization_flag", &IBuilderConfig::clearQuantizationFlag, "flag"_a,
             "Switches a QuantizationFlag off.")
        .def("get_quantization_flag", &IBuilderConfig::getQuantizationFlag, "flag"_a,
             "Whether a QuantizationFlag is on.")
        .def_property("quantization_flags", &IBuilderConfig::getQuantizationFlags,
                      &IBuilderConfig::setQuantizationFlags, "int: bits of QuantizationFlag.")
        .def("set_tactic_sources", &IBuilderConfig::setTacticSources, "tactic_sources"_a,
             "Sets the kernels to use, as bits of TacticSource; returns success.")
        .def("get_tactic_sources", &IBuilderConfig::getTacticSources,
             "The kernels to use, as bits of TacticSource.");
}

void bindSearch(ConfigClass& cls) {
    cls.def("set_memory_pool_limit", &IBuilderConfig::setMemoryPoolLimit, "pool"_a, "pool_size"_a,
            "Sets the limit of a MemoryPoolType in bytes.")
        .def("get_memory_pool_limit", &IBuilderConfig::getMemoryPoolLimit, "pool"_a,
             "The limit of a MemoryPoolType in bytes.")
        .def_property("builder_optimization_level", &IBuilderConfig::getBuilderOptimizationLevel,
                      &IBuilderConfig::setBuilderOptimizationLevel,
                      "int: the effort of the build to find fast tactics, 0 to 5. Default: 3.")
        .def_property("avg_timing_iterations", &IBuilderConfig::getAvgTimingIterations,
                      &IBuilderConfig::setAvgTimingIterations,
                      "int: the number of runs that a timing averages.")
        .def_property("max_num_tactics", &IBuilderConfig::getMaxNbTactics,
                      &IBuilderConfig::setMaxNbTactics,
                      "int: candidates to time for a layer. Default: -1, Kiln decides.")
        .def_property("max_aux_streams", &IBuilderConfig::getMaxAuxStreams,
                      checkedSetter(&IBuilderConfig::setMaxAuxStreams, "max_aux_streams"),
                      "int: additional streams that an engine may use.")
        .def_property(
            "tiling_optimization_level", &IBuilderConfig::getTilingOptimizationLevel,
            checkedSetter(&IBuilderConfig::setTilingOptimizationLevel, "tiling_optimization_level"),
            "TilingOptimizationLevel: how long to search for tilings.")
        .def_property("l2_limit_for_tiling", &IBuilderConfig::getL2LimitForTiling,
                      checkedSetter(&IBuilderConfig::setL2LimitForTiling, "l2_limit_for_tiling"),
                      "int: bytes of L2 cache that tilings may use.");
}

void bindTarget(ConfigClass& cls) {
    cls.def_property("engine_capability", &IBuilderConfig::getEngineCapability,
                     &IBuilderConfig::setEngineCapability, "EngineCapability: kind of runtime.")
        .def_property("hardware_compatibility_level",
                      &IBuilderConfig::getHardwareCompatibilityLevel,
                      &IBuilderConfig::setHardwareCompatibilityLevel,
                      "HardwareCompatibilityLevel: which other GPUs the engine must run on.")
        .def_property("runtime_platform", &IBuilderConfig::getRuntimePlatform,
                      &IBuilderConfig::setRuntimePlatform, "RuntimePlatform: system to build for.")
        .def_property(
            "profile_stream",
            [](IBuilderConfig const& self) { return toAddress(self.getProfileStream()); },
            [](IBuilderConfig& self, std::uintptr_t stream) {
                self.setProfileStream(static_cast<cudaStream_t>(toPointer(stream)));
            },
            "int: the stream that candidates are timed on.")
        .def("set_device_type", &IBuilderConfig::setDeviceType, "layer"_a, "device_type"_a,
             "Sets the DeviceType of a layer.")
        .def("get_device_type", &IBuilderConfig::getDeviceType, "layer"_a,
             "The DeviceType of a layer.")
        .def("is_device_type_set", &IBuilderConfig::isDeviceTypeSet, "layer"_a,
             "Whether set_device_type was called for a layer.")
        .def("reset_device_type", &IBuilderConfig::resetDeviceType, "layer"_a,
             "Undoes set_device_type.")
        .def("can_run_on_DLA", &IBuilderConfig::canRunOnDLA, "layer"_a,
             "Whether a layer can run on a DLA; always False.")
        .def_property("DLA_core", &IBuilderConfig::getDLACore, &IBuilderConfig::setDLACore,
                      "int: the DLA core; -1 for none.")
        .def_property("default_device_type", &IBuilderConfig::getDefaultDeviceType,
                      &IBuilderConfig::setDefaultDeviceType,
                      "DeviceType: for layers without set_device_type.");
}

std::vector<std::string> pluginsToSerialize(IBuilderConfig const& self) {
    std::vector<std::string> paths;
    for (int32_t i = 0; i < self.getNbPluginsToSerialize(); ++i) {
        paths.emplace_back(self.getPluginToSerialize(i));
    }
    return paths;
}

void setPluginsToSerialize(IBuilderConfig& self, std::vector<std::filesystem::path> const& paths) {
    std::vector<char const*> texts;
    for (std::filesystem::path const& path : paths) {
        texts.push_back(path.c_str());
    }
    self.setPluginsToSerialize(texts.data(), static_cast<int32_t>(texts.size()));
}

using OldWorkspace = Deprecated<"IBuilderConfig.max_workspace_size",
                                "set_memory_pool_limit(MemoryPoolType.WORKSPACE, bytes)">;

std::size_t workspaceLimit(IBuilderConfig const& self) {
    return self.getMemoryPoolLimit(nvinfer1::MemoryPoolType::kWORKSPACE);
}

void setWorkspaceLimit(IBuilderConfig& self, std::size_t bytes) {
    self.setMemoryPoolLimit(nvinfer1::MemoryPoolType::kWORKSPACE, bytes);
}

ITimingCache* createTimingCache(IBuilderConfig const& self, py::buffer const& serialized) {
    ByteView const bytes(serialized);
    return self.createTimingCache(bytes.data(), bytes.size());
}

void bindTimingCache(ConfigClass& cls) {
    cls.def("create_timing_cache", &createTimingCache, "serialized_timing_cache"_a,
            KeepAlive<0, 1>(),
            "Creates an ITimingCache; None on failure.\n\n"
            "serialized_timing_cache: result of ITimingCache.serialize(); b'' for a new cache.")
        .def("set_timing_cache", &IBuilderConfig::setTimingCache, "cache"_a, "ignore_mismatch"_a,
             KeepAlive<1, 2>(),
             "Sets the cache that builds read and write; returns success.\n\n"
             "ignore_mismatch: bool, whether to accept a cache of another device.")
        .def("get_timing_cache", &IBuilderConfig::getTimingCache,
             py::return_value_policy::reference_internal,
             "The ITimingCache that was set, or None.");
}

void bindCalibration(ConfigClass& cls) {
    using Calibrator = Deprecated<"IBuilderConfig.int8_calibrator", kLayers>;
    using Selector = Deprecated<"IBuilderConfig.algorithm_selector", "an editable timing cache">;
    constexpr auto kSame = py::return_value_policy::reference;
    cls.def_property(
           "int8_calibrator",
           py::cpp_function(&IBuilderConfig::getInt8Calibrator, Calibrator(), kSame),
           py::cpp_function(&IBuilderConfig::setInt8Calibrator, Calibrator(), KeepAlive<1, 2>()),
           "IInt8Calibrator | None: deprecated, the source of calibration data for builds with "
           "BuilderFlag.INT8; kept alive.")
        .def_property(
            "algorithm_selector",
            py::cpp_function(&IBuilderConfig::getAlgorithmSelector, Selector(), kSame),
            py::cpp_function(&IBuilderConfig::setAlgorithmSelector, Selector(), KeepAlive<1, 2>()),
            "IAlgorithmSelector | None: deprecated, selects among kernels; kept alive.")
        .def("set_calibration_profile", &IBuilderConfig::setCalibrationProfile, "profile"_a,
             Deprecated<"IBuilderConfig.set_calibration_profile", kLayers>(), KeepAlive<1, 2>(),
             "Deprecated: sets the shapes of calibration data; returns success.")
        .def("get_calibration_profile", &IBuilderConfig::getCalibrationProfile,
             Deprecated<"IBuilderConfig.get_calibration_profile", kLayers>(), kSame,
             "Deprecated: the shapes of calibration data, or None.");
}

void bindRest(ConfigClass& cls) {
    cls.def("add_optimization_profile", &IBuilderConfig::addOptimizationProfile, "profile"_a,
            KeepAlive<1, 2>(), "Adds a profile; returns its index, -1 if it was refused.")
        .def_property_readonly("num_optimization_profiles",
                               &IBuilderConfig::getNbOptimizationProfiles,
                               "int: the number of profiles.")
        .def("reset", &IBuilderConfig::reset, "Restores all defaults.")
        .def_property("profiling_verbosity", &IBuilderConfig::getProfilingVerbosity,
                      &IBuilderConfig::setProfilingVerbosity,
                      "ProfilingVerbosity: what the engine stores about its layers.")
        .def_property("max_workspace_size", py::cpp_function(&workspaceLimit, OldWorkspace()),
                      py::cpp_function(&setWorkspaceLimit, OldWorkspace()),
                      "int: deprecated, the limit of MemoryPoolType.WORKSPACE.")
        .def_property("plugins_to_serialize", &pluginsToSerialize, &setPluginsToSerialize,
                      "list[str]: plugin libraries to embed in the plan.")
        .def_property("progress_monitor", &IBuilderConfig::getProgressMonitor,
                      py::cpp_function(&IBuilderConfig::setProgressMonitor, KeepLatest()),
                      "IProgressMonitor | None: follows the build.")
        .def_property(
            "remote_auto_tuning_config", &IBuilderConfig::getRemoteAutoTuningConfig,
            checkedSetter(&IBuilderConfig::setRemoteAutoTuningConfig, "remote_auto_tuning_config"),
            "str: address and options of another machine that times candidates.")
        .def_property("build_route", &IBuilderConfig::getBuildRoute,
                      checkedSetter(&IBuilderConfig::setBuildRoute, "build_route"),
                      "str: the route of a build. Kiln has none, and refuses a build with one.")
        .def_property_readonly("all_build_routes", &IBuilderConfig::getAllBuildRoutes,
                               "str: the routes of a build, separated by commas. Always empty.");
    bindOwnedObject(cls);
}

} // namespace

void initBuilderConfig(py::module_& m) {
    ConfigClass cls(m, "IBuilderConfig",
                    "The settings of a build. Made by Builder.create_builder_config.");
    bindFlags(cls);
    bindSearch(cls);
    bindTarget(cls);
    bindTimingCache(cls);
    bindCalibration(cls);
    bindRest(cls);
}

} // namespace kiln::python
