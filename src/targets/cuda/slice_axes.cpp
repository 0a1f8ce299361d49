// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/slice_axes.h"

#include <algorithm>

namespace kiln::targets::cuda {
namespace {

using nvinfer1::SampleMode;

constexpr int64_t kNarrowLimit = INT32_MAX / 2 - 64; ///< of coordinates; reflection doubles it

/// Lowest and highest coordinate; false if they overflow 64 bits.
bool bounds(SliceAxis const& axis, int64_t& low, int64_t& high) {
    int64_t last = 0;
    if (__builtin_mul_overflow(axis.size.divisor - 1, axis.stride, &last) ||
        __builtin_add_overflow(axis.start, last, &last)) {
        return false;
    }
    low = std::min(axis.start, last);
    high = std::max(axis.start, last);
    return true;
}

bool inside(SliceAxis const& axis) {
    int64_t low = 0;
    int64_t high = 0;
    return bounds(axis, low, high) && low >= 0 && high < axis.extent;
}

bool whole(SliceAxis const& axis) {
    return axis.start == 0 && axis.stride == 1 && axis.size.divisor == axis.extent;
}

/// Merges `inner`, if it is taken whole, into `outer`, the next axis outside it.
bool merge(SliceAxis& outer, SliceAxis const& inner, SampleMode mode) {
    // Clamp and reflect act on the coordinates of each axis, so merging would change the result.
    bool const linear = inside(outer) || mode == SampleMode::kFILL || mode == SampleMode::kWRAP;
    SliceAxis merged = inner;
    int64_t size = 0;
    // They are no neighbours if an axis between them became part of the offset.
    bool const neighbours = outer.step == inner.step * inner.extent;
    if (!whole(inner) || outer.stride != 1 || !linear || !neighbours ||
        __builtin_mul_overflow(outer.start, inner.extent, &merged.start) ||
        __builtin_mul_overflow(outer.extent, inner.extent, &merged.extent) ||
        __builtin_mul_overflow(outer.size.divisor, inner.extent, &size)) {
        return false;
    }
    merged.size = fastDivide(size);
    outer = merged;
    return true;
}

} // namespace

bool SliceLoops::narrow() const {
    return std::all_of(axes.begin(), axes.end(), [](SliceAxis const& axis) {
        int64_t low = 0;
        int64_t high = 0;
        return bounds(axis, low, high) && low >= -kNarrowLimit && high <= kNarrowLimit &&
               axis.extent <= kNarrowLimit;
    });
}

std::vector<SliceAxis> axesOf(graph::Slice const& op, bool axesVary, Dims const& input,
                              Dims const& output) {
    std::vector<SliceAxis> axes(static_cast<std::size_t>(input.nbDims));
    int64_t step = 1;
    for (int32_t i = input.nbDims - 1; i >= 0; --i) {
        axes[static_cast<std::size_t>(i)] = {0, 1, input.d[i], step, fastDivide(output.d[i])};
        step *= input.d[i];
    }
    if (axesVary) {
        return axes;
    }
    int32_t const listed = op.axes.nbDims < 0 ? input.nbDims : op.axes.nbDims;
    for (int32_t i = 0; i < listed; ++i) {
        int64_t const given = op.axes.nbDims < 0 ? i : op.axes.d[i];
        int64_t const axis = given < 0 ? given + input.nbDims : given;
        if (axis >= 0 && axis < input.nbDims) { // else the launch reports the error
            axes[static_cast<std::size_t>(axis)].start = op.start.d[i];
            axes[static_cast<std::size_t>(axis)].stride = op.stride.d[i];
        }
    }
    return axes;
}

bool alwaysNarrow(graph::Slice const& op, Dims const& largest) {
    std::vector<SliceAxis> axes = axesOf(op, false, largest, largest);
    int32_t const listed = op.axes.nbDims < 0 ? largest.nbDims : op.axes.nbDims;
    for (int32_t i = 0; i < listed; ++i) {
        int64_t const given = op.axes.nbDims < 0 ? i : op.axes.d[i];
        axes[static_cast<std::size_t>(given < 0 ? given + largest.nbDims : given)].size =
            fastDivide(op.size.d[i]);
    }
    // After merging, a coordinate counts the elements of all inner axes.
    return std::all_of(axes.begin(), axes.end(), [](SliceAxis const& axis) {
        int64_t low = 0;
        int64_t high = 0;
        int64_t const most = kNarrowLimit / std::max<int64_t>(axis.step, 1);
        return bounds(axis, low, high) && low >= -most && high <= most && axis.extent <= most &&
               axis.size.divisor <= most;
    });
}

SliceLoops mergeAxes(std::vector<SliceAxis> const& axes, SampleMode mode) {
    SliceLoops loops;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) { // innermost first
        if (axis->size.divisor == 1 && inside(*axis)) {
            loops.offset += axis->start * axis->step;
            continue;
        }
        SliceAxis outer = *axis;
        if (!loops.axes.empty() && merge(outer, loops.axes.back(), mode)) {
            loops.axes.back() = outer;
        } else {
            loops.axes.push_back(*axis);
        }
    }
    if (loops.axes.empty()) {
        loops.axes.push_back({});
    }
    std::reverse(loops.axes.begin(), loops.axes.end());
    return loops;
}

} // namespace kiln::targets::cuda
