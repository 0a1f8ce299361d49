// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/pooling_workload.h"

#include <algorithm>

#include "targets/cpu/isa.h"

namespace kiln::targets::cpu {

using nvinfer1::PoolingType;

namespace {

/// 1 / count; 0 for 0.
float inverseOf(int64_t count) {
    return count == 0 ? 0.0F : 1.0F / static_cast<float>(count);
}

} // namespace

PoolRange rangeOf(PoolAxis const& axis, int64_t position) {
    int64_t const begin = position * axis.stride - axis.before;
    int64_t const end = begin + axis.size;
    PoolRange range;
    range.begin = std::max<int64_t>(begin, 0);
    range.end = std::max(range.begin, std::min(end, axis.input));
    range.padded = std::max<int64_t>(0, std::min(end, axis.input + axis.after) - begin);
    return range;
}

PoolingState poolingOf(graph::Pooling const& op, Dims const& input, Dims const& output) {
    auto const axisOf = [&](int32_t i) {
        auto const padding = op.window.padding(i, input.d[2 + i], output.d[2 + i]);
        return PoolAxis{input.d[2 + i],        output.d[2 + i], op.window.size.d[i],
                        op.window.stride.d[i], padding.before,  padding.after};
    };
    PoolingState state;
    state.batch = input.d[0];
    state.channels = input.d[1];
    int32_t const axes = op.window.size.nbDims;
    state.depth = axes > 2 ? axisOf(axes - 3) : PoolAxis{};
    state.height = axes > 1 ? axisOf(axes - 2) : PoolAxis{};
    state.width = axisOf(axes - 1);
    state.ofMean = op.type == PoolingType::kMAX       ? 0.0F
                   : op.type == PoolingType::kAVERAGE ? 1.0F
                                                      : op.blendFactor;
    state.ofLargest = 1.0F - state.ofMean;
    state.countsPadding = !op.averageCountExcludesPadding;
    for (int64_t i = 0; i < state.width.output; ++i) {
        PoolRange const x = rangeOf(state.width, i);
        state.inverses.push_back(inverseOf(state.countsPadding ? x.padded : x.end - x.begin));
    }
    return state;
}

RowWindow rowWindow(PoolingState const& state, int64_t row) {
    return {rangeOf(state.depth, row / state.height.output % state.depth.output),
            rangeOf(state.height, row % state.height.output)};
}

float inverseOf(PoolingState const& state, RowWindow const& rows) {
    return inverseOf(state.countsPadding
                         ? rows.z.padded * rows.y.padded
                         : (rows.z.end - rows.z.begin) * (rows.y.end - rows.y.begin));
}

void blend(PoolingState const& state, float* largest, float const* means, int64_t count) {
    if (!state.needsLargest()) {
        std::copy_n(means, count, largest);
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        largest[i] = state.ofLargest * largest[i] + state.ofMean * means[i];
    }
}

void scale(float* x, float factor, int64_t count) {
    isa().maps[static_cast<std::size_t>(MapFunction::kLinear)](x, x, count, factor, 0.0F);
}

void combineInto(CombineFunction function, float const* x, float* totals, int64_t count) {
    isa().combines[static_cast<std::size_t>(function)][0](totals, x, totals, count);
}

} // namespace kiln::targets::cpu
