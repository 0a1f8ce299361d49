// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/builder.h"

#include <deque>
#include <filesystem>
#include <optional>
#include <span>

#include "api/algorithm_selection.h"
#include "api/config_check.h"
#include "api/host_memory.h"
#include "api/plan_libraries.h"
#include "api/runtime.h"
#include "api/timing_cache.h"
#include "base/gpu_architecture.h"
#include "base/mapped_file.h"
#include "compiler/compile.h"
#include "target/backend_registry.h"

namespace kiln::api {

namespace {

/// A plan without weights can be refitted; identical weights are all that it asks for.
void setRefit(BuilderConfig const& config, compiler::Options& options) {
    using nvinfer1::BuilderFlag;
    options.refitMarked = config.getFlag(BuilderFlag::kREFIT_INDIVIDUAL);
    options.versionCompatible = config.getFlag(BuilderFlag::kVERSION_COMPATIBLE);
    options.stripPlan = config.getFlag(BuilderFlag::kSTRIP_PLAN);
    options.refit = options.refitMarked || options.stripPlan ||
                    config.getFlag(BuilderFlag::kREFIT) ||
                    config.getFlag(BuilderFlag::kREFIT_IDENTICAL);
}

} // namespace

Builder::Builder(nvinfer1::ILogger& logger)
    : reporter_(Log(&logger)), lease_(&logger), registry_(reporter_.log()) {}

void Builder::setGpuAllocator(nvinfer1::IGpuAllocator* allocator) noexcept {
    allocator_ = allocator;
}

nvinfer1::IBuilderConfig* Builder::createBuilderConfig() noexcept {
    return reporter_.guard<nvinfer1::IBuilderConfig*>(
        nullptr, [&] { return new BuilderConfig(reporter_.log()); });
}

nvinfer1::INetworkDefinition* Builder::createNetworkV2(
    nvinfer1::NetworkDefinitionCreationFlags flags) noexcept {
    return reporter_.guard<nvinfer1::INetworkDefinition*>(nullptr, [&] {
        uint32_t const known =
            (1U << nvinfer1::EnumMax<nvinfer1::NetworkDefinitionCreationFlag>()) - 1U;
        if ((flags & ~known) != 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] network: expected flags within {:#x}, got {:#x}. Shift 1 by a "
                 "NetworkDefinitionCreationFlag.",
                 known, flags);
        }
        return new NetworkDefinition(*this, reporter_.log(), flags);
    });
}

nvinfer1::IOptimizationProfile* Builder::createOptimizationProfile() noexcept {
    return reporter_.guard<nvinfer1::IOptimizationProfile*>(nullptr, [&] {
        profiles_.push_back(std::make_shared<OptimizationProfile>(reporter_.log()));
        return profiles_.back().get();
    });
}

void Builder::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    reporter_.setRecorder(recorder);
}

nvinfer1::IErrorRecorder* Builder::getErrorRecorder() const noexcept {
    return reporter_.recorder();
}

// Keeps the profiles: callers may hold them, and the builder owns them for its lifetime.
void Builder::reset() noexcept {
    maxThreads_ = 1;
}

namespace {

/// The target with code for all GPUs of a level: PTX for Ampere, and machine code for the GPU here,
/// so that its driver need not compile.
std::string targetFor(std::string const& text, nvinfer1::HardwareCompatibilityLevel level) {
    if (level != nvinfer1::HardwareCompatibilityLevel::kAMPERE_PLUS ||
        target::nameOfTarget(text) != "cuda") {
        return text;
    }
    constexpr char const* kPtx = "compute_80";
    target::Target target = target::parseTarget(text);
    target::Device const* const here =
        target.architectures.empty()
            ? target::BackendRegistry::instance().open(std::string("cuda:") + kPtx).device()
            : nullptr;
    target.architectures.emplace_back(kPtx);
    if (here != nullptr) { // of Ampere or later
        target.architectures.push_back(here->properties().architecture);
    }
    return target::parseTarget(target.text()).text();
}

} // namespace

Bytes Builder::compile(nvinfer1::INetworkDefinition& network,
                       nvinfer1::IBuilderConfig& config) const {
    auto const& own = static_cast<BuilderConfig const&>(config);
    ConfigSettings const& settings = own.settings();
    compiler::Options options;
    options.target = targetFor(target::defaultTarget(), settings.compatibility);
    checkConfig(own, network, options.target, reporter_.log());
    options.allowHalf = own.getFlag(nvinfer1::BuilderFlag::kFP16);
    options.allowBfloat16 = own.getFlag(nvinfer1::BuilderFlag::kBF16);
    options.allowTf32 = own.getFlag(nvinfer1::BuilderFlag::kTF32);
    options.allowInt8 = own.getFlag(nvinfer1::BuilderFlag::kINT8);
    options.obeyPrecision = own.getFlag(nvinfer1::BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    options.preferPrecision = own.getFlag(nvinfer1::BuilderFlag::kPREFER_PRECISION_CONSTRAINTS);
    options.directIo = own.getFlag(nvinfer1::BuilderFlag::kDIRECT_IO);
    setRefit(own, options);
    options.allowAliases =
        own.getPreviewFeature(nvinfer1::PreviewFeature::kALIASED_PLUGIN_IO_10_03);
    options.verbosity = settings.verbosity;
    options.weightStreaming = own.getFlag(nvinfer1::BuilderFlag::kWEIGHT_STREAMING);
    options.compatibility = settings.compatibility;
    options.progress = settings.progress;
    compiler::TimingCache ownCache(std::string{}); // for this build only, so without a device name
    if (!own.getFlag(nvinfer1::BuilderFlag::kDISABLE_TIMING_CACHE)) {
        options.timingCache = own.timingCache() != nullptr ? own.timingCache() : &ownCache;
        options.timingCacheOnly = own.getFlag(nvinfer1::BuilderFlag::kERROR_ON_TIMING_CACHE_MISS);
    }
    // 1 is the API's default: the compiler then chooses the number of runs.
    options.timingRuns = settings.timingIterations > 1 ? settings.timingIterations : 0;
    options.workspaceLimit = own.workspaceLimit();
    options.device = devices_.of(target::BackendRegistry::instance().open(options.target));
    options.allocator = allocator_ != nullptr ? allocator_ : deviceAllocator(options.device);
    options.memory = allocator_;
    options.recorder = reporter_.recorder();
    options.log = reporter_.log();
    for (auto const& profile : settings.profiles) {
        options.profiles.push_back(profile->profile());
    }
    options.showUnfused = static_cast<NetworkDefinition&>(network).marksUnfused();
    std::deque<MappedFile> files; // must stay mapped until the plan is written
    for (std::string const& path : settings.pluginsToSerialize) {
        files.emplace_back(path);
        options.libraries.push_back(
            {std::filesystem::path(path).filename().string(), files.back().bytes()});
    }
    for (OwnedSource const& source : settings.sources) {
        options.sources.push_back(
            {source.name, source.plugins, std::as_bytes(std::span(source.text))});
    }
    std::optional<AlgorithmSelection> selection;
    if (settings.selector != nullptr) {
        selection.emplace(*settings.selector,
                          own.getFlag(nvinfer1::BuilderFlag::kREJECT_EMPTY_ALGORITHMS));
        options.selector = &*selection;
    }
    plugin::LateReports const late(reporter_.lateSink());
    if (options.allowInt8 && settings.calibrator != nullptr) {
        compiler::Options plain = options; // the engine that calibrates is for this build only
        plain.refit = plain.refitMarked = plain.stripPlan = false;
        plain.selector = nullptr;
        plain.showUnfused = false;
        options.magnitudes = calibrated(network, settings, plain);
    }
    auto& ownNetwork = static_cast<NetworkDefinition&>(network);
    ownNetwork.expectUnchangedFiles();
    Bytes plan = compiler::compile(ownNetwork.graph(), options);
    ownNetwork.expectUnchangedFiles(); // nor during the build
    if (selection.has_value()) {
        selection->report();
    }
    return plan;
}

Magnitudes Builder::calibrated(nvinfer1::INetworkDefinition& network,
                               ConfigSettings const& settings,
                               compiler::Options const& options) const {
    compiler::Profile const* const profile =
        settings.calibrationProfile == nullptr ? nullptr : &settings.calibrationProfile->profile();
    return calibrate(static_cast<NetworkDefinition&>(network).graph(), options, profile,
                     *settings.calibrator, [&](Bytes plan) { return openPlan(plan); });
}

nvinfer1::ICudaEngine* Builder::openPlan(Bytes const& plan) const {
    // The caller has just supplied the plan's host code, so loading it is allowed.
    runtime::HostCode const hostCode{true, {true, true, defaultTemporaryDirectory()}};
    return makeEngine(runtime::copyOfPlan(plan), reporter_.log(), allocator_, reporter_.recorder(),
                      creatorsFor(registry_, hostCode.ways, false, reporter_.log()), hostCode,
                      devices_);
}

nvinfer1::IHostMemory* Builder::buildSerializedNetwork(nvinfer1::INetworkDefinition& network,
                                                       nvinfer1::IBuilderConfig& config) noexcept {
    return reporter_.guard<nvinfer1::IHostMemory*>(
        nullptr, [&] { return new HostMemory(compile(network, config)); });
}

bool Builder::buildSerializedNetworkToStream(nvinfer1::INetworkDefinition& network,
                                             nvinfer1::IBuilderConfig& config,
                                             nvinfer1::IStreamWriter& writer) noexcept {
    return reporter_.guard(false, [&] {
        Bytes const plan = compile(network, config);
        auto const bytes = static_cast<int64_t>(plan.size());
        int64_t const written = writer.write(plan.data(), bytes);
        if (written != bytes) {
            fail(ErrorKind::kInvalidState,
                 "[builder] stream writer: expected {} bytes to be written, got {}. Write all of "
                 "them, and return their number.",
                 bytes, written);
        }
        return true;
    });
}

nvinfer1::IHostMemory* Builder::buildSerializedNetwork(
    nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config,
    nvinfer1::IHostMemory*& kernelText) noexcept {
    kernelText = nullptr; // only the safety runtime has kernel text
    return buildSerializedNetwork(network, config);
}

nvinfer1::ICudaEngine* Builder::buildEngineWithConfig(nvinfer1::INetworkDefinition& network,
                                                      nvinfer1::IBuilderConfig& config) noexcept {
    return reporter_.guard<nvinfer1::ICudaEngine*>(
        nullptr, [&] { return openPlan(compile(network, config)); });
}

bool Builder::isNetworkSupported(nvinfer1::INetworkDefinition const& network,
                                 nvinfer1::IBuilderConfig const& config) const noexcept {
    return reporter_.guard(false, [&] {
        compile(const_cast<nvinfer1::INetworkDefinition&>(network),
                const_cast<nvinfer1::IBuilderConfig&>(config));
        return true;
    });
}

bool Builder::setMaxThreads(int32_t maxThreads) noexcept {
    if (maxThreads < 1) {
        return false;
    }
    maxThreads_ = maxThreads;
    return true;
}

nvinfer1::IPluginRegistry& Builder::getPluginRegistry() noexcept {
    return registry_;
}

bool Builder::platformHasFastFp16() const noexcept {
    return target::nameOfTarget(target::defaultTarget()) == "cuda";
}

bool Builder::platformHasTf32() const noexcept {
    return reporter_.guard(false, [] {
        std::string const target = target::defaultTarget();
        if (target::nameOfTarget(target) != "cuda") {
            return false;
        }
        target::Device const* const here =
            target::BackendRegistry::instance().open(target).device();
        auto const architecture =
            here == nullptr ? std::nullopt : parseGpuArchitecture(here->properties().architecture);
        return architecture.has_value() && architecture->major >= 8; // Ampere and later
    });
}

/// On the CPU it depends on the shapes whether int8 is faster.
bool Builder::platformHasFastInt8() const noexcept {
    return target::nameOfTarget(target::defaultTarget()) == "cuda";
}

} // namespace kiln::api

extern "C" void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept {
    kiln::api::Reporter const reporter{kiln::Log(static_cast<nvinfer1::ILogger*>(logger))};
    return reporter.guard<void*>(nullptr, [&]() -> void* {
        kiln::api::checkCaller("builder", logger, version);
        return static_cast<nvinfer1::IBuilder*>(
            new kiln::api::Builder(*static_cast<nvinfer1::ILogger*>(logger)));
    });
}

namespace nvinfer1 {

extern "C" bool setInternalLibraryPath(AsciiChar const*) noexcept {
    return false; // Kiln has no internal libraries
}

} // namespace nvinfer1
