// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_product.h"

#include <algorithm>

#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/quantized/quantized_kernel.h"
#include "targets/cuda/quantized/quantized_source.h"

namespace kiln::targets::cuda {
namespace {

using target::NodeSpec;

// As in kernels/quantized_product.cuh.
constexpr int64_t kStepTerms = 64;
constexpr int32_t kThreads = 128;
constexpr int32_t kStages = 4;

/// A size of tiles, by the function that has it.
struct TileSize {
    std::string_view function;
    int64_t rows;
    int64_t columns;

    int64_t tiles(QuantizedArguments const& arguments) const {
        return (arguments.rows + rows - 1) / rows * ((arguments.columns + columns - 1) / columns);
    }
    int32_t sharedBytes() const {
        return static_cast<int32_t>(
            std::max(kStages * (rows + columns) * kStepTerms, rows * columns * 4));
    }
};
constexpr TileSize kTileSizes[] = {
    {"product_large", 128, 128}, {"product_medium", 64, 64}, {"product_small", 32, 32}};

struct QuantizedProduct {
    static constexpr std::string_view kName = "region_quantized";

    static std::string refuse(NodeSpec const& node) { return refuseQuantized(node); }

    static double estimate(NodeSpec const& node) {
        constexpr double kLaunch = 3e-6;
        QuantizedRegion const region(static_cast<graph::Region const&>(node.op));
        // Below float16, so that a build without a GPU takes what is known.
        double const perSecond =
            node.inputs[region.left()].type.type == DataType::kFP8 ? 1.5e14 : 2.5e14;
        return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                                  region.operations(node) / perSecond);
    }

    static Bytes compile(QuantizedRegion const& region, NodeSpec const& node,
                         std::span<std::string const> architectures) {
        return compileFor(quantizedSource(region, node), architectures);
    }
};

class QuantizedInstance final : public target::KernelInstance {
public:
    explicit QuantizedInstance(LoadedQuantized const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        arguments_ = describeLoaded(loaded_, inputs, outputs);
        launch_.set(loaded_.code, {launchFor(outputs[0])});
        launch_.describe({inputs.size(), outputs.size(), false, nullptr, &arguments_});
    }

    target::Launch launch() override { return {&KernelLaunch::run, &launch_}; }
    std::string failureText() const override { return launch_.failureText(); }

private:
    /// The largest tiles of which there are enough for all multiprocessors.
    GridLaunch launchFor(Dims const& result) const {
        int64_t products = 1;
        for (int32_t i = 0; i < arguments_.loops; ++i) {
            products *= arguments_.batch[i].extent;
        }
        int64_t const wanted = gpuProblem().empty() ? Gpu::current().multiprocessors : 1;
        TileSize const* chosen = &kTileSizes[0];
        for (TileSize const& size : kTileSizes) {
            chosen = &size;
            if (products * size.tiles(arguments_) >= wanted) {
                break;
            }
        }
        int64_t const blocks = products * chosen->tiles(arguments_);
        if (blocks > INT32_MAX) {
            failQuantizedSize(result);
        }
        return {chosen->function, blocks, 1, 1, kThreads, chosen->sharedBytes()};
    }

    LoadedQuantized const& loaded_;
    QuantizedArguments arguments_{};
    KernelLaunch launch_;
};

} // namespace

target::KernelEntry regionQuantized() {
    return quantizedEntry<QuantizedProduct, QuantizedInstance>();
}

} // namespace kiln::targets::cuda
