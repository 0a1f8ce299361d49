// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/kernel_operands.h"

namespace kiln::graph {

std::string mapsProblem(int64_t maps, int64_t groups) {
    return maps >= 1 && groups >= 1
               ? std::string()
               : fmt::format("expected 1 or more output maps and groups, got {} and {}.", maps,
                             groups);
}

void expectKernelOperands(InferContext const& context, std::string_view kind, bool ownKernel,
                          bool ownBias) {
    expectInputs(context, kind, ownKernel ? 1 : 2, !ownBias ? 3 : ownKernel ? 1 : 2);
    if (ownKernel && context.has(1)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected no tensor as input 1, because the layer has kernel weights, got one. "
             "Set empty kernel weights, or connect a bias as input 2.",
             where(context, kind));
    }
    expectFloating(context, kind);
    expectSameType(context, kind);
}

int64_t expectGroups(InferContext const& context, std::string_view kind, int64_t maps,
                     int64_t groups) {
    int64_t const channels = context.pool.constantOr(context.inputs[0].shape[1]);
    if ((channels >= 0 && channels % groups != 0) || maps % groups != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected groups that divide the {} input channels and the {} output maps, got "
             "{}. Set another number of groups.",
             where(context, kind), channels, maps, groups);
    }
    return channels;
}

void expectBias(InferContext const& context, std::string_view kind, nvinfer1::Weights const& bias,
                int64_t maps) {
    if (bias.count > 0 && (bias.count != maps || bias.values == nullptr)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, bias weights: expected {} values, one for each output map, got {}. Pass as many, "
             "or none.",
             where(context, kind), maps,
             bias.values == nullptr ? "none" : fmt::format("{}", bias.count));
    }
    if (!context.has(2)) {
        return;
    }
    Dims const got = knownDims(context.pool, context.inputs[2].shape);
    if (got.nbDims != 1 || (got.d[0] >= 0 && got.d[0] != maps)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, bias (input 2): expected [{}], got {}. Pass one value for each output map.",
             where(context, kind), maps, toText(got));
    }
}

} // namespace kiln::graph
