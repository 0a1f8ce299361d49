// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// fill: alpha + the sum of index[i] * beta[i]. Floating-point types are computed in float64, int32
// and int64 in their own type, with wraparound. Alpha and betas are parameters or operands.
#include "graph/ops/fill.h"

#include <algorithm>
#include <limits>

#include "targets/cuda/broadcast.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Fill;

bool isWhole(DataType type) {
    return type == DataType::kINT32 || type == DataType::kINT64;
}

/// Converts a finite number to an integer of the type; doubles represent every integer up to 2^53.
int64_t wholeOf(double real, DataType type) {
    double const most = type == DataType::kINT32 ? std::numeric_limits<int32_t>::max() : 0x1p53;
    return static_cast<int64_t>(std::clamp(real, -most, most));
}

struct FillLine {
    using Op = Fill;
    struct Arguments {
        int64_t count = 0;
        int64_t extents[Dims::MAX_DIMS] = {};
        int32_t rank = 0;
        double realAlpha = 0.0;
        double realBeta = 0.0;
        int64_t wholeAlpha = 0;
        int64_t wholeBeta = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const&) {
        return op.isRandom() ? "expected evenly spaced values" : std::string();
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        auto const flag = [&](Fill::Role role) { return std::string(node.has(role) ? "1" : "0"); };
        return sourceOf("fill",
                        {{"KILN_ELEMENT", kernelTypeName(op.type)},
                         {"KILN_NUMBER", isWhole(op.type) ? kernelTypeName(op.type) : "double"},
                         {"KILN_INPUTS", std::to_string(node.inputs.size())},
                         {"KILN_ALPHA", flag(Fill::kAlpha)},
                         {"KILN_BETA", flag(Fill::kBeta)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& dims = workload.outputs[0];
        arguments.count = volume(dims, "fill");
        std::copy_n(dims.d, dims.nbDims, arguments.extents);
        arguments.rank = dims.nbDims;
        if (op.isWhole) {
            arguments.wholeAlpha = op.wholeAlpha;
            arguments.wholeBeta = op.wholeBeta;
            arguments.realAlpha = static_cast<double>(op.wholeAlpha);
            arguments.realBeta = static_cast<double>(op.wholeBeta);
        } else {
            arguments.wholeAlpha = wholeOf(op.alpha, op.type);
            arguments.wholeBeta = wholeOf(op.beta, op.type);
            arguments.realAlpha = op.alpha;
            arguments.realBeta = op.beta;
        }
        return {launchFlat("fill", arguments.count, widthFor(bytesFor(op.type, 1)))};
    }
};

} // namespace

void registerKernel_fill(KernelRegistry& registry) {
    registry.add(entryOf<FillLine>("fill_line"));
}

} // namespace kiln::targets::cuda
