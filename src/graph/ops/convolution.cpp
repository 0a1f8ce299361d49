// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/convolution.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/op_registry.h"
#include "graph/window_shape.h"

namespace kiln::graph {

std::string Convolution::problem() const {
    if (maps < 1 || groups < 1) {
        return fmt::format("expected 1 or more output maps and groups, got {} and {}.", maps,
                           groups);
    }
    return window.problem();
}

Dims Convolution::kernelDims(int64_t channels) const {
    Dims dims{2 + window.size.nbDims, {maps, channels}};
    std::copy_n(window.size.d, window.size.nbDims, dims.d + 2);
    return dims;
}

void Convolution::inferChecked(InferContext& context) const {
    bool const ownKernel = kernel.count > 0;
    bool const ownBias = bias.count > 0;
    expectInputs(context, kKind, ownKernel ? 1 : 2, !ownBias ? 3 : ownKernel ? 1 : 2);
    if (ownKernel && context.has(1)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected no tensor as input 1, because the layer has kernel weights, got one. "
             "Set empty kernel weights, or connect a bias as input 2.",
             where(context, kKind));
    }
    expectFloating(context, kKind);
    TensorFacts& output = context.outputs[0];
    output.type = expectSameType(context, kKind);
    output.shape = windowShape(context, kKind, window, context.pool.constant(maps));

    checkWeights(context);
    if (!ownKernel) {
        checkKernel(context, 1);
    }
    if (context.has(2)) {
        checkBias(context, 2);
    }
}

void Convolution::checkWeights(InferContext const& context) const {
    int64_t const channels = context.pool.constantOr(context.inputs[0].shape[1]);
    if ((channels >= 0 && channels % groups != 0) || maps % groups != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected groups that divide the {} input channels and the {} output maps, got "
             "{}. Set another number of groups.",
             where(context, kKind), channels, maps, groups);
    }
    if (kernel.count > 0) {
        int64_t const perChannel = checkedMul(maps, window.area(), "kernel weights");
        bool const fits = channels < 0 ? kernel.count % perChannel == 0
                                       : kernel.count / perChannel == channels / groups &&
                                             kernel.count % perChannel == 0;
        if (!fits || kernel.values == nullptr) {
            std::string const expected =
                channels < 0 ? fmt::format("a multiple of {}", perChannel)
                             : fmt::format("{}", checkedMul(perChannel, channels / groups,
                                                            "kernel weights"));
            fail(ErrorKind::kInvalidArgument,
                 "{}, kernel weights: expected {} values ({} maps of {}, {} groups), got {}. Pass "
                 "weights that match the layer.",
                 where(context, kKind), expected, maps, toText(window.size), groups,
                 kernel.values == nullptr ? "none" : fmt::format("{}", kernel.count));
        }
    }
    if (bias.count > 0 && (bias.count != maps || bias.values == nullptr)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, bias weights: expected {} values, one for each output map, got {}. Pass as many, "
             "or none.",
             where(context, kKind), maps,
             bias.values == nullptr ? "none" : fmt::format("{}", bias.count));
    }
}

void Convolution::checkKernel(InferContext const& context, std::size_t operand) const {
    ExprPool& pool = context.pool;
    Dims const got = knownDims(pool, context.inputs[operand].shape);
    int64_t const channels = pool.constantOr(context.inputs[0].shape[1]);
    Dims const wanted = kernelDims(channels < 0 ? -1 : channels / groups);
    bool fits = got.nbDims == wanted.nbDims;
    for (int32_t i = 0; fits && i < wanted.nbDims; ++i) {
        fits = got.d[i] < 0 || wanted.d[i] < 0 || got.d[i] == wanted.d[i];
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}, kernel (input {}): expected {}, got {}. Pass a kernel that matches the layer.",
             where(context, kKind), operand, toText(wanted), toText(got));
    }
}

void Convolution::checkBias(InferContext const& context, std::size_t operand) const {
    Dims const got = knownDims(context.pool, context.inputs[operand].shape);
    if (got.nbDims != 1 || (got.d[0] >= 0 && got.d[0] != maps)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, bias (input {}): expected [{}], got {}. Pass one value for each output map.",
             where(context, kKind), operand, maps, toText(got));
    }
}

std::vector<WeightSlot> Convolution::weights(int32_t inputCount) const {
    static_cast<void>(inputCount);
    std::vector<WeightSlot> slots;
    if (kernel.count > 0) {
        int64_t const perChannel = checkedMul(maps, window.area(), "kernel weights");
        slots.push_back({"kernel", kernel, kernelDims(kernel.count / perChannel)});
    }
    if (bias.count > 0) {
        slots.push_back({"bias", bias, Dims{1, {maps}}});
    }
    return slots;
}

void registerOp_convolution(OpRegistry& registry) {
    registry.add(Convolution::kKind, &Convolution::load);
}

} // namespace kiln::graph
