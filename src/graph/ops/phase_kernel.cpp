// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/phase_kernel.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

// Keeps all products within 64 bits.
constexpr int64_t kLargest = int64_t{1} << 31;

bool isValid(Dims const& dims) {
    return dims.nbDims >= 1 && dims.nbDims <= 3 &&
           std::all_of(dims.d, dims.d + dims.nbDims,
                       [](int64_t d) { return d >= 1 && d <= kLargest; });
}

} // namespace

std::string PhaseKernel::problem() const {
    if (groups < 1 || !isValid(stride) || !isValid(dilation) || stride.nbDims != dilation.nbDims) {
        return fmt::format("expected groups, strides and dilations of 1 or more, got {}, {} and "
                           "{}.",
                           groups, toText(stride), toText(dilation));
    }
    return {};
}

int64_t PhaseKernel::phases() const {
    return volume(stride, "phases");
}

int64_t PhaseKernel::taps(int32_t axis, int64_t size) const {
    int64_t const span = 1 + checkedMul<int64_t>(dilation.d[axis], size - 1, "kernel");
    return (span + stride.d[axis] - 1) / stride.d[axis];
}

void PhaseKernel::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts const& kernel = context.inputs[0];
    Dims const dims = knownDims(context.pool, kernel.shape);
    bool fits = dims.nbDims == 2 + stride.nbDims && (dims.d[0] < 0 || dims.d[0] % groups == 0);
    for (int32_t axis = 1; fits && axis < dims.nbDims; ++axis) {
        fits = dims.d[axis] >= 1;
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a kernel of {} known axes behind channels for {} groups, got {}. Pass a "
             "kernel that matches the layer.",
             where(context, kKind), 1 + stride.nbDims, groups, toText(dims));
    }
    ExprPool& pool = context.pool;
    TensorFacts& output = context.outputs[0];
    output.type = expectFloating(context, kKind);
    output.shape = kernel.shape;
    output.shape[0] =
        pool.constant(checkedMul(checkedMul(groups, phases(), "kernel"), dims.d[1], "kernel"));
    output.shape[1] = pool.binary(ExprOp::kFloorDiv, kernel.shape[0], pool.constant(groups));
    for (int32_t axis = 0; axis < stride.nbDims; ++axis) {
        output.shape[2 + axis] = pool.constant(taps(axis, dims.d[2 + axis]));
    }
}

void registerOp_phase_kernel(OpRegistry& registry) {
    registry.add(PhaseKernel::kKind, &PhaseKernel::load);
}

} // namespace kiln::graph
