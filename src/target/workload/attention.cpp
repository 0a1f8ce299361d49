// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/attention.h"

#include <limits>
#include <vector>

#include "target/nest.h"

namespace kiln::target {
namespace {

using graph::Attention;
using Strides = AttentionWorkload::Strides;

Strides stridesOf(Attention const& op, std::size_t operand, Dims const& dims) {
    Attention::Axes const axes = Attention::axesOf(op.layouts[operand]);
    auto const dense = denseStrides(dims);
    auto const along = [&](int32_t axis) { return dense[static_cast<std::size_t>(axis)]; };
    Strides strides;
    strides.offset = operand < op.offsets.size() ? op.offsets[operand] : 0;
    strides.batch = dims.d[axes.batch] == 1 ? 0 : along(axes.batch);
    strides.head = axes.head < 0 ? op.sizeOf(operand) : along(axes.head);
    strides.length = along(axes.length);
    strides.channel = along(axes.channel);
    return strides;
}

AttentionWorkload::MaskStrides maskStridesOf(Attention const& op, Dims const& dims) {
    auto const dense = denseStrides(dims);
    auto const along = [&](int32_t axis) {
        return dims.d[axis] == 1 ? 0 : dense[static_cast<std::size_t>(axis)];
    };
    bool const withHeads = op.maskRank(dims.nbDims) == 4;
    int32_t const last = dims.nbDims - 1;
    return {along(0), withHeads ? along(1) : 0, along(last - 1), along(last)};
}

} // namespace

AttentionWorkload attentionWorkload(Attention const& op, Workload const& workload) {
    Dims const& query = workload.inputs[Attention::kQuery];
    Dims const& key = workload.inputs[Attention::kKey];
    Attention::Axes const axes = Attention::axesOf(op.layouts[Attention::kQuery]);
    AttentionWorkload result;
    result.batch = query.d[axes.batch];
    result.heads = op.heads;
    result.group = op.heads / op.keyHeads;
    result.queries = query.d[axes.length];
    result.keys = key.d[Attention::axesOf(op.layouts[Attention::kKey]).length];
    result.size = op.size;
    result.valueSize = op.valueSize;
    result.scale = op.scale;
    result.query = stridesOf(op, Attention::kQuery, query);
    result.key = stridesOf(op, Attention::kKey, key);
    result.value = stridesOf(op, Attention::kValue, workload.inputs[Attention::kValue]);
    result.output = stridesOf(op, Attention::kOutput, workload.outputs[0]);
    if (workload.has(Attention::kMask)) {
        bool const selects = workload.inputTypes[Attention::kMask].type == DataType::kBOOL;
        result.mask = !selects       ? AttentionWorkload::Mask::kAdded
                      : op.maskDrops ? AttentionWorkload::Mask::kDropped
                                     : AttentionWorkload::Mask::kKept;
        result.maskStrides = maskStridesOf(op, workload.inputs[Attention::kMask]);
    }
    result.isCausal = op.causal != Attention::Causal::kNone;
    result.diagonal = op.causal == Attention::Causal::kFromEnd ? result.keys - result.queries : 0;
    // Without any keys at all, weights of no elements are summed, whatever the softmax would give.
    bool const isZero = op.emptyIsZero || result.keys == 0;
    result.withoutKeys = isZero ? 0.0F : std::numeric_limits<float>::quiet_NaN();
    return result;
}

AttentionWorkload attentionWorkload(Attention const& op, NodeSpec const& node) {
    std::vector<OperandType> types;
    std::vector<Dims> dims;
    for (OperandSpec const& input : node.inputs) {
        types.push_back(input.type);
        dims.push_back(input.opt);
    }
    OperandType const type = node.outputs[0].type;
    return attentionWorkload(op, Workload{types, {&type, 1}, dims, {&node.outputs[0].opt, 1}});
}

double attentionOperations(Attention const& op, NodeSpec const& node) {
    AttentionWorkload const at = attentionWorkload(op, node);
    double const scores = static_cast<double>(at.batch * at.heads) *
                          static_cast<double>(at.queries) * static_cast<double>(at.keys);
    return 2.0 * scores * static_cast<double>(at.size + at.valueSize);
}

} // namespace kiln::target
