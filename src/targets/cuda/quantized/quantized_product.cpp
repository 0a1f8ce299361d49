// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: uint8 whether the weights are packed (quantized_weights.h), then the code.
#include "targets/cuda/quantized/quantized_product.h"

#include <algorithm>

#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/loaded_code.h"
#include "targets/cuda/quantized/quantized_arguments.h"
#include "targets/cuda/quantized/quantized_record.h"
#include "targets/cuda/quantized/quantized_source.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::ConstantOperand;
using target::KernelRecord;
using target::NodeSpec;
using target::Workload;

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

Region const& regionIn(NodeSpec const& node) {
    return static_cast<Region const&>(node.op);
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 3e-6;
    QuantizedRegion const region(regionIn(node));
    // Not measured yet: below float16, so that a build without a GPU takes what is known.
    double const perSecond =
        node.inputs[region.left()].type.type == DataType::kFP8 ? 1.5e14 : 2.5e14;
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              region.operations(node) / perSecond);
}

Bytes compile(NodeSpec const& node, std::span<std::string const> architectures) {
    QuantizedRegion const region(regionIn(node));
    ByteWriter writer;
    writer.put<uint8_t>(packsWeights(region, node) ? 1 : 0);
    Bytes code = writer.take();
    Bytes const compiled = compileFor(quantizedSource(region, node), architectures);
    code.insert(code.end(), compiled.begin(), compiled.end());
    return code;
}

/// What a kernel loads from a plan.
struct LoadedRegion : QuantizedRecord {
    LoadedRegion(KernelRecord const& plan, std::span<ConstantOperand const> constants)
        : QuantizedRecord(plan), record(plan), code(ByteView(plan.code).subspan(1)) {
        checkPacked(constants[region.right()]);
    }

    KernelRecord record;
    LoadedCode code;
};

class QuantizedInstance final : public target::KernelInstance {
public:
    explicit QuantizedInstance(LoadedRegion const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        if (std::string const problem = loaded_.region.formatProblem(
                workload.inputTypes, workload.outputTypes[0], outputs[0].nbDims);
            !problem.empty()) {
            fail(ErrorKind::kUnsupported, "[shape] Region: {}. Build the plan again.", problem);
        }
        arguments_ = describeQuantized(loaded_.region, workload, loaded_.packed);
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

    LoadedRegion const& loaded_;
    QuantizedArguments arguments_{};
    KernelLaunch launch_;
};

class QuantizedKernel final : public target::Kernel {
public:
    QuantizedKernel(KernelRecord const& record, std::span<ConstantOperand const> constants)
        : loaded_(record, constants) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<QuantizedInstance>(loaded_);
    }

private:
    LoadedRegion loaded_;
};

} // namespace

target::KernelEntry regionQuantized() {
    target::KernelEntry entry;
    entry.op = Region::kKind;
    entry.name = "region_quantized";
    entry.refuse = &refuseQuantized;
    entry.estimate = &estimate;
    entry.compile = &compile;
    entry.load = [](KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<QuantizedKernel>(record, constants);
    };
    entry.packs = &quantizedPacks;
    entry.pack = &packQuantized;
    return entry;
}

} // namespace kiln::targets::cuda
