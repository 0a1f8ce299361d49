// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/engine_timing.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/lru_cache.h"
#include "targets/cuda/cudnn/convolution_plan.h"
#include "targets/cuda/gpu_memory.h"
#include "targets/cuda/launch_timer.h"

namespace kiln::targets::cuda {
namespace {

/// How many engines are tried, and for how long.
struct Effort {
    std::size_t most;
    double seconds;
};
constexpr Effort kUsual{8, 0.4};
constexpr Effort kForProducts{3, 0.15}; ///< cuBLASLt computes them as well, and compiles nothing
constexpr Effort kForTf32{2, 0.1};      ///< 16-bit types, if allowed, are faster

Effort effortFor(ConvolutionDescription const& description) {
    if (description.tf32) {
        return kForTf32;
    }
    auto const all = [](auto begin, auto end) {
        return std::all_of(begin, end, [](int64_t extent) { return extent == 1; });
    };
    bool const product = all(description.kernel.dims.begin() + 2, description.kernel.dims.end()) &&
                         all(description.stride.begin(), description.stride.end());
    return product && !description.isProduct ? kForProducts : kUsual;
}

using Found = std::optional<TimedEngine>;

LruCache<std::string, std::shared_ptr<Found const>>& answers() {
    static auto* const all = new LruCache<std::string, std::shared_ptr<Found const>>(256);
    return *all;
}

std::size_t bytesOf(DenseTensor const& tensor, DataType type) {
    return bytesFor(type, std::accumulate(tensor.dims.begin(), tensor.dims.end(), int64_t{1},
                                          std::multiplies<>()));
}

GpuMemory clearedMemory(std::size_t bytes) {
    GpuMemory memory(bytes);
    check(GpuScope()->memsetD8Async(memory.address(), 0, bytes, nullptr), "clear an operand");
    return memory;
}

/// A plan that ran.
struct Timed {
    double milliseconds = 0.0;
    std::size_t workspaceBytes = 0;
    EngineChoice choice;
    std::unique_ptr<ConvolutionPlan> plan;
};

Found search(ConvolutionDescription const& description, std::size_t workspaceBytes) {
    GpuScope const scope;
    auto const graph =
        std::make_shared<ConvolutionGraph>(description, biasWays(description).front());
    std::vector<GpuMemory> memory;
    auto const allocate = [&](DenseTensor const& tensor, int copies = 1) {
        std::size_t const bytes = rotationStride(bytesOf(tensor, description.type));
        return memory.emplace_back(clearedMemory(bytes * static_cast<std::size_t>(copies))).data();
    };
    std::size_t const weightBytes = bytesOf(description.kernel, description.type);
    int const rotation = rotationFor(weightBytes);
    ConvolutionPlan::Pointers pointers;
    pointers.input = allocate(description.input);
    auto const* const weights =
        static_cast<std::byte const*>(allocate(description.kernel, rotation));
    pointers.bias = description.hasBias ? allocate(description.bias) : nullptr;
    for (std::size_t i = 0; i < description.operands.size(); ++i) {
        pointers.operands.at(i) = allocate(description.operands[i]);
    }
    pointers.output = allocate(description.output);
    GpuMemory const workspace(workspaceBytes);
    pointers.workspace = workspace.data();
    LaunchTimer timer;
    check(scope->streamSynchronize(nullptr), "clear the operands");

    Effort const effort = effortFor(description);
    auto const start = std::chrono::steady_clock::now();
    // A plan may refer to its configuration, so these live longer than the plans.
    std::vector<Descriptor> const configurations = graph->configurations();
    std::vector<Timed> timed;
    std::size_t tried = 0;
    int32_t position = -1;
    for (Descriptor const& configuration : configurations) {
        std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - start;
        if (tried >= effort.most || (!timed.empty() && spent.count() > effort.seconds)) {
            break;
        }
        ++position;
        try {
            auto plan = std::make_unique<ConvolutionPlan>(graph, configuration, description,
                                                          workspaceBytes);
            ++tried;
            double const time = timer.milliseconds(
                [&](int i) {
                    pointers.kernel = weights + static_cast<std::size_t>(i % rotation) *
                                                    rotationStride(weightBytes);
                    return plan->run(pointers, timer.stream()) == CUDNN_STATUS_SUCCESS;
                },
                rotation);
            if (time >= 0.0) {
                std::size_t const needed = plan->workspaceBytes();
                timed.push_back({time, needed, choiceOf(configuration, position), std::move(plan)});
            }
        } catch (Error const& error) {
            if (error.kind() != ErrorKind::kUnsupported) {
                throw;
            }
        }
    }
    Timed const* const best = bestOf(timed);
    return best == nullptr ? std::nullopt
                           : Found({best->choice, best->workspaceBytes, best->plan->prepared()});
}

} // namespace

Found fastestEngine(ConvolutionDescription const& description, std::size_t workspaceBytes) {
    std::string const key =
        fmt::format("{}|{}|{}", Gpu::current().handle, description.text(), workspaceBytes);
    if (auto const known = answers().find(key); known.has_value()) {
        return **known;
    }
    Found found;
    try {
        found = search(description, workspaceBytes);
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported) {
            throw;
        }
    }
    answers().store(key, std::make_shared<Found const>(found));
    return found;
}

} // namespace kiln::targets::cuda
