// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/interleave.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

constexpr int64_t kLargest = int64_t{1} << 31;

bool isValid(Dims const& dims, int32_t axes, int64_t least) {
    return dims.nbDims == axes && std::all_of(dims.d, dims.d + axes, [least](int64_t d) {
               return d >= least && d <= kLargest;
           });
}

} // namespace

std::string Interleave::problem() const {
    int32_t const axes = stride.nbDims;
    if (groups < 1 || axes < 1 || axes > 3 || !isValid(stride, axes, 1) ||
        !isValid(before, axes, 0) || !isValid(after, axes, 0)) {
        return fmt::format("expected groups and strides of 1 or more, and elements to leave out, "
                           "got {}, {}, {} and {}.",
                           groups, toText(stride), toText(before), toText(after));
    }
    return {};
}

int64_t Interleave::phases() const {
    return volume(stride, "phases");
}

void Interleave::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    ExprPool& pool = context.pool;
    TensorFacts const& input = context.inputs[0];
    TensorFacts& output = context.outputs[0];
    output.type = input.type;
    int64_t const parts = checkedMul(groups, phases(), "phases");
    int64_t const maps =
        input.shape.rank == 2 + stride.nbDims ? pool.constantOr(input.shape[1]) : -1;
    if (maps < 0 || maps % parts != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input of rank {} with a multiple of {} maps, got {}.",
             where(context, kKind), 2 + stride.nbDims, parts, toText(knownDims(pool, input.shape)));
    }
    output.shape = input.shape;
    output.shape[1] = pool.constant(maps / phases());
    for (int32_t axis = 0; axis < stride.nbDims; ++axis) {
        ExprRef const all =
            pool.binary(ExprOp::kProd, input.shape[2 + axis], pool.constant(stride.d[axis]));
        ExprRef const extent =
            pool.binary(ExprOp::kSub, all, pool.constant(before.d[axis] + after.d[axis]));
        if (pool.isConstant(extent) && pool.constantOr(extent) < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, spatial axis {}: expected padding within the {} elements of the output, got "
                 "{} + {}. Pad less.",
                 where(context, kKind), axis, pool.constantOr(all), before.d[axis], after.d[axis]);
        }
        output.shape[2 + axis] = extent;
    }
}

void registerOp_interleave(OpRegistry& registry) {
    registry.add(Interleave::kKind, &Interleave::load);
}

} // namespace kiln::graph
