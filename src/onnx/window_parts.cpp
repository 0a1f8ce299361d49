// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/window_parts.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::PaddingMode;

WindowParts::WindowParts(Term x, Windows const& windows, bool roundUp)
    : x_(x), windows_(windows), roundUp_(roundUp) {
    for (int32_t i = 0; i < windows.extents.nbDims; ++i) {
        axes_.push_back(axisOf(i));
    }
}

WindowParts::Axis WindowParts::axisOf(int32_t spatial) const {
    NodeContext& context = x_.context();
    auto const number = [&](int64_t value) { return Term::vector(context, {value}); };
    Term const input = x_.extent(2 + spatial);
    Term const stride = number(windows_.strides.d[spatial]);
    Term const dilation = number(windows_.dilations.d[spatial]);
    Term const size = number(windows_.extents.d[spatial]);
    Term const span = (size - 1) * dilation + 1;
    bool const same =
        windows_.mode == PaddingMode::kSAME_UPPER || windows_.mode == PaddingMode::kSAME_LOWER;
    Term before = number(windows_.before.d[spatial]);
    Term after = number(windows_.after.d[spatial]);
    Term output;
    if (same) {
        output = (input + stride - 1).floorDiv(stride);
        Term const total = ((output - 1) * stride + span - input).max(0.0);
        Term const half = total.floorDiv(2.0);
        before = windows_.mode == PaddingMode::kSAME_UPPER ? half : total - half;
        after = total - before;
    } else {
        Term const slack = input + before + after - span;
        output = (roundUp_ ? slack + stride - 1 : slack).floorDiv(stride) + 1;
        if (roundUp_) { // no window that would start in the padding behind the input
            output = output.min((input + before - 1).floorDiv(stride) + 1);
        }
    }
    output = output.max(0.0); // of an input that is shorter than a window
    Axis axis;
    axis.input = input.inserted({0});
    axis.after = axis.input + after;
    Term const start = (Term::range(output) * stride - before).inserted({1});
    Term const taps = Term::range(size).inserted({0});
    axis.element = start + taps * dilation;
    Term const low = (-start.floorDiv(dilation)).max(0.0);
    Term const high = (axis.input - 1 - start).floorDiv(dilation);
    Term const tap = taps.max(low).min(high);
    axis.nearest = (start + tap * dilation).max(0.0).min(axis.input - 1);
    return axis;
}

Term WindowParts::beside(Term table, int32_t spatial) const {
    // The gathered tensor has rank() + 1 axes: those of the window are 2 + spatial and the next.
    Axes others = axesBetween(0, rank() + 1);
    others.erase(others.begin() + 2 + spatial, others.begin() + 4 + spatial);
    return table.inserted(others);
}

Term WindowParts::largest() const {
    Term result = x_;
    for (int32_t i = static_cast<int32_t>(axes_.size()) - 1; i >= 0; --i) {
        Term const elements = result.gathered(axes_[static_cast<size_t>(i)].nearest, 2 + i);
        result = elements.largest({3 + i}, false);
    }
    return result;
}

Term WindowParts::indices(bool columnMajor) const {
    NodeContext& context = x_.context();
    Term result = x_;
    Term place; // of each result, among the spatial axes
    Term volume = Term::vector(context, {1});
    for (int32_t i = static_cast<int32_t>(axes_.size()) - 1; i >= 0; --i) {
        Term const nearest = axes_[static_cast<size_t>(i)].nearest;
        Term const elements = result.gathered(nearest, 2 + i);
        result = elements.largest({3 + i}, true);
        Term at = beside(nearest * volume, i);
        if (place.exists()) {
            at = at + place.gathered(nearest, 2 + i);
        }
        constexpr double kBehindAll = 9007199254740992.0; // 2 to the power of 53
        place = (elements == result).choose(at, at.like(kBehindAll)).smallest({3 + i}, false);
        result = result.removed({3 + i});
        volume = volume * x_.extent(2 + i);
    }
    place = place.min(volume - 1); // of windows with NaN alone
    if (columnMajor) {
        Term rest = place;
        Term columns = place * 0.0;
        Axes const before = axesBetween(0, rank() - 1);
        for (int32_t i = static_cast<int32_t>(axes_.size()) - 1; i >= 0; --i) {
            Term const extent = x_.extent(2 + i);
            Term const next = rest.floorDiv(extent);
            Term coordinate = rest - next * extent;
            for (int32_t other = 0; other < i; ++other) {
                coordinate = coordinate * x_.extent(2 + other);
            }
            columns = columns + coordinate;
            rest = next;
        }
        place = columns;
    }
    Term const planes = Term::range(x_.extents({0, 1}).product({0})) * volume;
    std::vector<Term> shape{x_.extents({0, 1})};
    shape.push_back(Term::vector(context, std::vector<int64_t>(axes_.size(), 1)));
    return place + planes.reshaped(Term::joined(shape, 0));
}

Term WindowParts::sum() const {
    Term result = x_;
    for (int32_t i = 0; i < static_cast<int32_t>(axes_.size()); ++i) {
        Axis const& axis = axes_[static_cast<size_t>(i)];
        Term const inside = axis.element == axis.nearest;
        Term const elements = result.gathered(axis.nearest, 2 + i);
        // What stands for the padding may be infinite.
        result = beside(inside, i).choose(elements, elements.like(0)).sum({3 + i}, false);
    }
    return result;
}

Term WindowParts::count(bool countsPadding) const {
    Term result;
    for (int32_t i = 0; i < static_cast<int32_t>(axes_.size()); ++i) {
        Axis const& axis = axes_[static_cast<size_t>(i)];
        Term const counts =
            countsPadding ? axis.element < axis.after : axis.element == axis.nearest;
        Term const each = counts.cast(DataType::kINT64).sum({1}, false);
        Axes others = axesBetween(0, rank());
        others.erase(others.begin() + 2 + i);
        Term const along = each.inserted(others);
        result = result.exists() ? result * along : along;
    }
    return result;
}

} // namespace kiln::onnx
