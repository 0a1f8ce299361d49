// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/streams.h"

#include "failure.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::ExecutionContextAllocationStrategy;

/// Implements --allocationStrategy=runtime: the caller provides the context's memory.
void giveMemory(Stream& stream) {
    size_t const needed = stream.context->updateDeviceMemorySizeForShapes();
    stream.memory.reset(device().allocate(needed));
    checkDevice(stream.memory != nullptr, "take the memory that the context needs");
    stream.context->setDeviceMemoryV2(stream.memory.get(), static_cast<int64_t>(needed));
}

/// Captures one run, after an ordinary run that does the context's preparations, which cannot be
/// captured.
void recordGraph(Stream& stream) {
    constexpr char const* kWhy = "--useCudaGraph: the engine cannot be recorded; the lines above "
                                 "say why. Leave the option out";
    if (!stream.context->enqueueV3(stream.device->handle())) {
        fail("[run] {}", kWhy);
    }
    stream.device->wait();
    stream.device->beginCapture();
    if (!stream.context->enqueueV3(stream.device->handle())) {
        fail("[run] {}", kWhy);
    }
    stream.device->endCapture();
}

Stream makeStream(nvinfer1::ICudaEngine& engine, InferenceOptions const& options, Logger& logger) {
    Stream stream;
    stream.context.reset(engine.createExecutionContext(options.allocation));
    if (stream.context == nullptr) {
        fail("[run] no execution context could be made; the lines above say why");
    }
    if (options.nvtxVerbosity && !stream.context->setNvtxVerbosity(*options.nvtxVerbosity)) {
        fail("[run] --nvtxMode: the engine refused it; the lines above say why");
    }
    if (options.profile != 0 &&
        !stream.context->setOptimizationProfileAsync(options.profile, nullptr)) {
        fail("[run] --useProfile: the engine refused profile {} (it has {}); the lines above say "
             "why",
             options.profile, engine.getNbOptimizationProfiles());
    }
    stream.bindings = std::make_unique<Bindings>(*stream.context, options, logger);
    if (options.allocation == ExecutionContextAllocationStrategy::kUSER_MANAGED) {
        giveMemory(stream);
    }
    stream.device = std::make_unique<DeviceStream>();
    stream.bindings->upload(stream.device->handle());
    stream.device->wait();
    if (options.cudaGraph && !device().usesHostMemory()) {
        recordGraph(stream);
    }
    return stream;
}

/// Decides which weights stay on the device, before there is a context.
void limitWeights(nvinfer1::ICudaEngine& engine, WeightBudget const& wanted, Logger& logger) {
    using Kind = WeightBudget::Kind;
    if (wanted.kind == Kind::kAll) {
        return;
    }
    int64_t const all = engine.getStreamableWeightsSize();
    int64_t const budget =
        wanted.kind == Kind::kAutomatic ? engine.getWeightStreamingAutomaticBudget()
        : wanted.kind == Kind::kPercent
            ? static_cast<int64_t>(static_cast<double>(all) * wanted.amount / 100)
            : static_cast<int64_t>(wanted.amount);
    if (!engine.setWeightStreamingBudgetV2(budget)) {
        fail("[run] --weightStreamingBudget: the engine refused {} bytes; the lines above say why",
             budget);
    }
    constexpr double kMiB = 1024.0 * 1024.0;
    logger.info("Weight streaming: {:g} of {:g} MiB of weights stay on the device, each context "
                "has {:g} MiB of scratch memory",
                static_cast<double>(engine.getWeightStreamingBudgetV2()) / kMiB,
                static_cast<double>(all) / kMiB,
                static_cast<double>(engine.getWeightStreamingScratchMemorySize()) / kMiB);
}

} // namespace

std::vector<Stream> makeStreams(nvinfer1::ICudaEngine& engine, InferenceOptions const& options,
                                Logger& logger) {
    limitWeights(engine, options.weightBudget, logger);
    std::vector<Stream> streams;
    for (int64_t i = 0; i < options.streams; ++i) {
        streams.push_back(makeStream(engine, options, logger));
    }
    logger.info("Created {} execution context{} with device memory size: {:g} MiB", options.streams,
                options.streams == 1 ? "" : "s",
                static_cast<double>(engine.getDeviceMemorySizeV2()) / (1024.0 * 1024.0));
    return streams;
}

} // namespace kiln::trtexec
