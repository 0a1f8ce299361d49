// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Windows over spatial axes, axis by axis, by gathering the elements of all windows along an axis.
// For windows that no layer has: dilated, with indices, or with a last window that only some axes
// round up to. Extents may be unknown.
#pragma once

#include "onnx/term.h"
#include "onnx/window_attributes.h"

#include <vector>

namespace kiln::onnx {

class WindowParts {
public:
    // x: [batch, channels, spatial...]. roundUp: as ceil_mode.
    WindowParts(Term x, Windows const& windows, bool roundUp);

    Term largest() const;
    // The position of each largest element in the whole tensor, the first one among equals.
    // columnMajor: counts the spatial axes from the first one.
    Term indices(bool columnMajor) const;
    Term sum() const;
    // The number of elements that windows have; of those in the padding, too, if `countsPadding`.
    // INT64, with extents of 1 for batch and channels.
    Term count(bool countsPadding) const;

private:
    // All are INT64 and of rank 2: for each window (or one), and each of its elements (or one).
    struct Axis {
        Term input;   // extent
        Term after;   // extent with the padding behind it
        Term element; // position of each element; before 0 and behind `input` it is in the padding
        Term nearest; // the same, moved to an element of the window that is in the input
    };
    Axis axisOf(int32_t spatial) const;
    static Term outputOf(Windows const& windows, int32_t axis, bool roundUp, Term input);
    // A table of an axis beside gathered elements, whose axis it is the windows of.
    Term beside(Term table, int32_t spatial) const;
    int32_t rank() const { return static_cast<int32_t>(axes_.size()) + 2; }

    Term x_;
    Windows windows_;
    bool roundUp_;
    std::vector<Axis> axes_;
};

} // namespace kiln::onnx
