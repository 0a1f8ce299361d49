// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// roi align: boxes of images, brought to one size; see kernels/roi_align.cuh.
#include "graph/ops/roi_align.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::RoiAlign;

// As in the source.
constexpr int32_t kThreads = 256;
constexpr int64_t kShare = 2048;

struct RoiAlignKernel {
    using Op = RoiAlign;
    struct Arguments {
        int64_t parts = 0; ///< of a box: blocks
        int64_t images = 0;
        int64_t channels = 0;
        int64_t size[2] = {};   ///< height and width of the images
        int64_t output[2] = {}; ///< of the output
        int32_t samplingRatio = 0;
        float scale = 1.0F;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("roi_align",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)},
                         {"KILN_BOX", kernelTypeName(node.inputs[Op::kBoxes].type.type)},
                         {"KILN_BATCH", kernelTypeName(node.inputs[Op::kBatch].type.type)},
                         {"KILN_POOLING", std::to_string(static_cast<int32_t>(op.params.pooling))},
                         {"KILN_HALF_PIXEL", op.params.halfPixel ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& images = workload.inputs[Op::kImages];
        arguments.images = images.d[0];
        arguments.channels = images.d[1];
        std::copy_n(images.d + 2, 2, arguments.size);
        arguments.output[0] = op.params.height;
        arguments.output[1] = op.params.width;
        arguments.samplingRatio = op.params.samplingRatio;
        arguments.scale = op.params.scale;
        int64_t const elements = arguments.channels * op.params.height * op.params.width;
        arguments.parts = elements / kShare + (elements % kShare != 0 ? 1 : 0);
        int64_t const blocks = workload.outputs[0].d[0] * arguments.parts;
        return {launchBlocks("roi_align", blocks, 1, kThreads)};
    }
};

} // namespace

void registerKernel_roi_align(KernelRegistry& registry) {
    registry.add(entryOf<RoiAlignKernel>("roi_align"));
}

} // namespace kiln::targets::cuda
