// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Resize axis by axis, from gathered samples, or a product of matrices for antialiasing. For what
// the layer does not have: computed scales, crops, antialiasing, coordinates of other rules.
#pragma once

#include "onnx/term.h"

#include <optional>
#include <vector>

namespace kiln::onnx {

// How a position in the output becomes one in the input; the names are those of the operator.
enum class CoordinateRule {
    kHalfPixel,
    kPytorchHalfPixel,
    kAlignCorners,
    kAsymmetric,
    kCropAndResize,
    kHalfPixelSymmetric,
    kHalfPixelForNearest,
};

struct Sampling {
    nvinfer1::InterpolationMode mode;
    CoordinateRule rule;
    nvinfer1::ResizeRoundMode rounding;
    double cubic;
    bool excludesOutside;
    bool antialias;
    double extrapolation; // of crops
};

// One axis. The scale is divisor / numerator. All are vectors of one element, FLOAT but for
// `output`.
struct ResizedAxis {
    int32_t axis;
    Term output; // INT64: the extent
    Term length; // the extent before it is rounded
    Term divisor;
    Term numerator;              // none: 1
    std::optional<double> scale; // if it is known
    Term begin;                  // of a crop, as a part of the extent
    Term end;
};

Term resizedByParts(Term x, std::vector<ResizedAxis> const& axes, Sampling const& sampling);

} // namespace kiln::onnx
