// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// LRN over neighbouring channels; see kernels/lrn.cuh.
#include "graph/ops/lrn.h"

#include <algorithm>

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct LRNKernel {
    using Op = graph::LRN;
    struct Arguments {
        int64_t count = 0;
        int64_t channels = 0;
        int64_t inner = 0;
        int64_t before = 0;
        int64_t behind = 0;
        float factor = 0.0F;
        float beta = 0.0F;
        float k = 0.0F;
        int32_t channelsOfThread = 0;
        FastDivide byAcross;
        FastDivide byWalks;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("lrn", {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                                {"KILN_WINDOW", std::to_string(walks(op) ? op.window : 0)},
                                {"KILN_ROOTS", op.beta == 0.75F ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Op::Planes const planes = Op::planesOf(workload.inputs[0]);
        arguments.count = volume(workload.inputs[0], "LRN");
        arguments.channels = planes.channels;
        arguments.inner = planes.inner;
        arguments.before = op.before();
        arguments.behind = op.window - 1 - op.before();
        arguments.factor = op.alpha / static_cast<float>(op.window);
        arguments.beta = op.beta;
        arguments.k = op.k;
        if (arguments.count > 0 && walks(op) && planes.channels <= INT32_MAX / 2) {
            return {overChannels(planes, arguments)};
        }
        int64_t const width = 16 / static_cast<int64_t>(bytesFor(workload.type(), 1));
        bool const packs = arguments.inner % width == 0;
        return {launchOver(packs ? "lrn" : "lrn_single", arguments.count / (packs ? width : 1))};
    }

private:
    /// Whether a thread can hold the numbers of a window.
    static bool walks(Op const& op) {
        constexpr int64_t kMostHeld = 9;
        return op.window <= kMostHeld;
    }

    static GridLaunch overChannels(Op::Planes const& planes, Arguments& arguments) {
        constexpr int64_t kWidth = 4; // as in kernels/lrn.cuh
        bool const packs = planes.inner % kWidth == 0;
        int64_t const across = planes.inner / (packs ? kWidth : 1);
        // Many channels for each thread, but enough threads.
        constexpr int64_t kThreadsWanted = 1 << 18;
        int64_t const channels =
            std::clamp<int64_t>(planes.outer * planes.channels * across / kThreadsWanted, 1, 64);
        int64_t const walks = (planes.channels - 1) / channels + 1;
        arguments.channelsOfThread = static_cast<int32_t>(channels);
        arguments.byAcross = fastDivide(across);
        arguments.byWalks = fastDivide(walks);
        return launchOver(packs ? "lrn_walk" : "lrn_walk_single", planes.outer * walks * across);
    }
};

} // namespace

void registerKernel_lrn(KernelRegistry& registry) {
    registry.add(entryOf<LRNKernel>("lrn_reference"));
}

} // namespace kiln::targets::cuda
