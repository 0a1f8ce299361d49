// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/convolution.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/kernel_operands.h"
#include "graph/op_registry.h"
#include "graph/window_shape.h"

namespace kiln::graph {

std::string Convolution::problem() const {
    std::string const text = mapsProblem(maps, groups);
    return text.empty() ? window.problem() : text;
}

Dims Convolution::kernelDims(int64_t channels) const {
    Dims dims{2 + window.size.nbDims, {maps, channels}};
    std::copy_n(window.size.d, window.size.nbDims, dims.d + 2);
    return dims;
}

void Convolution::inferChecked(InferContext& context) const {
    bool const ownKernel = kernel.count > 0;
    expectKernelOperands(context, kKind, ownKernel, bias.count > 0);
    TensorFacts& output = context.outputs[0];
    output.type = context.inputs[0].type;
    output.shape = windowShape(context, kKind, window, context.pool.constant(maps));

    checkWeights(context);
    if (!ownKernel) {
        checkKernel(context, 1);
    }
    expectBias(context, kKind, bias, maps);
}

void Convolution::checkWeights(InferContext const& context) const {
    int64_t const channels = expectGroups(context, kKind, maps, groups);
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
