// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_warpgroups.h"

#include <algorithm>

#include "target/workload/node_at.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/quantized/position_map.h"
#include "targets/cuda/quantized/quantized_kernel.h"
#include "targets/cuda/quantized/quantized_source.h"

namespace kiln::targets::cuda {
namespace {

using target::NodeAt;
using target::NodeSpec;

// As in kernels/quantized_warpgroups.cuh.
constexpr int64_t kTileRows = 128;
constexpr int32_t kThreads = 2 * 128 + 64;
constexpr int32_t kShared = 96 * 1024; ///< with either number of columns

QuantizedRegion regionOf(NodeSpec const& node) {
    return QuantizedRegion(static_cast<graph::Region const&>(node.op));
}

int64_t tilesOf(QuantizedArguments const& arguments, int64_t columns) {
    return (arguments.rows + kTileRows - 1) / kTileRows *
           ((arguments.columns + columns - 1) / columns);
}

/// Why the kernel does not take what the arguments describe; empty if it does.
std::string problemOf(QuantizedArguments const& arguments) {
    constexpr int64_t kMost = INT32_MAX;
    constexpr int32_t kMostSide = 1 << 14;
    if (arguments.loops != 0 || arguments.terms == 0 || arguments.wideLeft == 0 ||
        arguments.wideRight == 0) {
        return "expected one matrix of weights, and rows of whole 16 bytes";
    }
    bool const flat =
        arguments.taps == 0 || (arguments.depth.size == 1 && arguments.depth.input == 1 &&
                                arguments.depth.output == 1 && arguments.depth.before == 0);
    if (!flat || std::max(arguments.height.input, arguments.width.input) > kMostSide ||
        std::max(arguments.height.before, arguments.width.before) > kMostSide ||
        std::max(arguments.height.output * arguments.height.stride,
                 arguments.width.output * arguments.width.stride) > kMostSide) {
        return fmt::format("expected two spatial axes of up to {} positions", kMostSide);
    }
    int64_t const images =
        arguments.taps == 0
            ? arguments.rows
            : arguments.rows /
                  std::max<int64_t>(int64_t{arguments.height.output} * arguments.width.output, 1) *
                  arguments.height.input * arguments.width.input;
    bool const small = (images + kTileRows) * arguments.leftRow < kMost &&
                       (arguments.columns + kTileRows) * arguments.rightColumn < kMost;
    return small ? std::string() : "expected operands of less than 2^31 bytes";
}

struct QuantizedWarpgroups {
    static constexpr std::string_view kName = "region_quantized_warpgroups";

    static std::string refuse(NodeSpec const& node) {
        std::string reason = refuseQuantized(node);
        if (!reason.empty()) {
            return reason;
        }
        QuantizedRegion const region = regionOf(node);
        if (!isInteger8(node.inputs[region.left()].type.type)) {
            return "expected operands of int8 or uint8";
        }
        for (auto const corner : NodeAt::kPoints) {
            NodeAt const at(node, corner);
            QuantizedArguments const arguments =
                describeQuantized(region, at.workload(), packsWeights(region, node));
            if (reason = problemOf(arguments); !reason.empty()) {
                return reason;
            }
        }
        return {};
    }

    static double estimate(NodeSpec const& node) {
        constexpr double kLaunch = 3e-6;
        constexpr double kPerSecond = 8e14;
        return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                                  regionOf(node).operations(node) / kPerSecond);
    }

    static Bytes compile(QuantizedRegion const& region, NodeSpec const& node,
                         std::span<std::string const> architectures) {
        return compileForHopper(warpgroupSource(region, node), architectures);
    }
};

/// Same layout as in kernels/quantized_warpgroups.cuh.
struct WarpgroupArguments {
    CUtensorMap left;
    CUtensorMap right;
    QuantizedArguments all;
    int32_t described;
};

class WarpgroupInstance final : public target::KernelInstance {
public:
    explicit WarpgroupInstance(LoadedQuantized const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        arguments_.all = describeLoaded(loaded_, inputs, outputs);
        QuantizedArguments const& all = arguments_.all;
        bool const isEmpty = all.rows == 0 || all.columns == 0;
        if (std::string const problem = problemOf(all); !problem.empty() && !isEmpty) {
            fail(ErrorKind::kUnsupported, "[cuda] Region: {}. Build the plan for a result of {}.",
                 problem, toText(outputs[0]));
        }
        left_ = right_ = nullptr;
        columns_ = all.columns <= 64 ? 64 : 128;
        launch_.set(loaded_.code,
                    {{columns_ == 64 ? "product_64" : "product_128",
                      isEmpty ? 0 : tilesOf(all, columns_), 1, 1, kThreads, kShared}});
        launch_.describe({inputs.size(), outputs.size(), false, nullptr, &arguments_});
    }

    target::Launch launch() override { return {&run, this}; }
    std::string failureText() const override { return launch_.failureText(); }

private:
    static int32_t run(void* state, target::KernelCall const& call,
                       target::StreamHandle stream) noexcept {
        auto& self = *static_cast<WarpgroupInstance*>(state);
        self.bind(call);
        return KernelLaunch::run(&self.launch_, call, stream);
    }

    /// Describes the operands of a call, unless the last one had the same.
    void bind(target::KernelCall const& call) noexcept {
        void const* const left = call.inputs[loaded_.region.left()];
        void const* const right = call.inputs[loaded_.region.right()];
        if (left == left_ && right == right_) {
            return;
        }
        left_ = left;
        right_ = right;
        bool const fits = describeLeft(arguments_.left, arguments_.all, left) &&
                          describeRight(arguments_.right, arguments_.all, right, columns_);
        arguments_.described = fits ? 1 : 0;
    }

    LoadedQuantized const& loaded_;
    WarpgroupArguments arguments_{};
    KernelLaunch launch_;
    int64_t columns_ = 128;
    void const* left_ = nullptr; ///< that are described
    void const* right_ = nullptr;
};

} // namespace

target::KernelEntry regionQuantizedWarpgroups() {
    return quantizedEntry<QuantizedWarpgroups, WarpgroupInstance>();
}

} // namespace kiln::targets::cuda
