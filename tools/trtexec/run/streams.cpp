// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/streams.h"

#include <cstdlib>

#include "failure.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::ExecutionContextAllocationStrategy;

/// What --allocationStrategy=runtime does: memory for just these shapes, given by the caller.
void giveMemory(Stream& stream) {
    constexpr size_t kAlignment = 256; // what the API promises to ask of a context's memory
    size_t const needed = stream.context->updateDeviceMemorySizeForShapes();
    size_t const rounded = (needed / kAlignment + 1) * kAlignment;
    stream.memory = {std::aligned_alloc(kAlignment, rounded), &std::free};
    if (stream.memory == nullptr) {
        fail("[run] no memory for {} bytes that the context needs", rounded);
    }
    stream.context->setDeviceMemoryV2(stream.memory.get(), static_cast<int64_t>(rounded));
}

Stream makeStream(nvinfer1::ICudaEngine& engine, InferenceOptions const& options, Logger& logger) {
    Stream stream;
    stream.context.reset(engine.createExecutionContext(options.allocation));
    if (stream.context == nullptr) {
        fail("[run] no execution context could be made; the lines above say why");
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
    return stream;
}

} // namespace

std::vector<Stream> makeStreams(nvinfer1::ICudaEngine& engine, InferenceOptions const& options,
                                Logger& logger) {
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
