// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weight streaming: where an engine's weights are. There are two generations of numbers. A budget
// of today counts the weights that stay on the device. A budget of the first generation also counts
// the scratch memory of a context; there 0 streams nothing, and -1 leaves the choice to the engine.
#include "api/engine.h"

namespace kiln::api {
namespace {

int64_t asNumber(uint64_t bytes) {
    return static_cast<int64_t>(bytes);
}

runtime::WeightStreaming& streamingOf(runtime::Engine const& engine) {
    if (engine.streaming() == nullptr) {
        fail(ErrorKind::kInvalidState,
             "[engine] '{}', weight streaming budget: expected an engine that was built with "
             "BuilderFlag WEIGHT_STREAMING, got one without. Build it again with that flag.",
             engine.document().name);
    }
    return *engine.streaming();
}

} // namespace

int64_t Engine::getStreamableWeightsSize() const noexcept {
    return engine_->streaming() == nullptr ? 0 : asNumber(engine_->streaming()->streamableBytes());
}

bool Engine::setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept {
    return reporter_.guard(false, [&] {
        runtime::WeightStreaming& streaming = streamingOf(*engine_);
        if (gpuMemoryBudget < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] '{}', weight streaming budget: expected bytes, 0 or more, got {}. {} "
                 "streams nothing.",
                 engine_->document().name, gpuMemoryBudget, streaming.streamableBytes());
        }
        streaming.setBudget(static_cast<uint64_t>(gpuMemoryBudget));
        return true;
    });
}

int64_t Engine::getWeightStreamingBudgetV2() const noexcept {
    return engine_->streaming() == nullptr ? 0 : asNumber(engine_->streaming()->budget());
}

int64_t Engine::getWeightStreamingAutomaticBudget() const noexcept {
    return reporter_.guard(int64_t{0}, [&] {
        return engine_->streaming() == nullptr ? 0
                                               : asNumber(engine_->streaming()->automaticBudget());
    });
}

int64_t Engine::getWeightStreamingScratchMemorySize() const noexcept {
    return engine_->streaming() == nullptr ? 0 : asNumber(engine_->streaming()->scratchBytes());
}

bool Engine::setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept {
    return reporter_.guard(false, [&] {
        runtime::WeightStreaming& streaming = streamingOf(*engine_);
        int64_t const least = getMinimumWeightStreamingBudget();
        if (gpuMemoryBudget == -1) {
            streaming.decideLater();
        } else if (gpuMemoryBudget == 0) {
            streaming.setBudget(streaming.streamableBytes());
        } else if (gpuMemoryBudget < least) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] '{}', weight streaming budget: expected -1 (automatic), 0 (nothing is "
                 "streamed), or at least {} bytes, got {}. Set the second version of the budget, "
                 "which does not count scratch memory.",
                 engine_->document().name, least, gpuMemoryBudget);
        } else {
            streaming.setBudget(static_cast<uint64_t>(gpuMemoryBudget - least));
        }
        return true;
    });
}

int64_t Engine::getWeightStreamingBudget() const noexcept {
    runtime::WeightStreaming const* const streaming = engine_->streaming();
    if (streaming != nullptr && streaming->decidesLater()) {
        return -1;
    }
    return streaming == nullptr || streaming->budget() == streaming->streamableBytes()
               ? 0
               : asNumber(streaming->budget()) + getMinimumWeightStreamingBudget();
}

int64_t Engine::getMinimumWeightStreamingBudget() const noexcept {
    return engine_->streaming() == nullptr ? 0 : asNumber(engine_->streaming()->mostScratchBytes());
}

} // namespace kiln::api
