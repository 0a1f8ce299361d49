// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/resize_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::InterpolationMode;
using nvinfer1::ResizeRoundMode;

namespace {

// Weights of cubic convolution at distances up to 1, and from 1 to 2.
Term nearWeight(Term x, double a) {
    return (x * (a + 2.0) - (a + 3.0)) * x * x + 1.0;
}
Term farWeight(Term x, double a) {
    return ((x * a - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
}

class AxisSampler {
public:
    AxisSampler(Term x, ResizedAxis const& axis, Sampling const& sampling)
        : x_(x), axis_(axis), sampling_(sampling), count_(x.extent(axis.axis)),
          input_(count_.cast(DataType::kFLOAT)), last_(input_ - 1.0), position_(positions()) {}

    Term result() const {
        if (sampling_.mode == InterpolationMode::kNEAREST) {
            return x_.gathered(index(rounded()), axis_.axis);
        }
        return sampling_.antialias ? filtered() : interpolated();
    }

    // Whether positions are outside of the input, beside the axes of the tensor.
    Term outside() const { return along(position_ < 0.0 || position_ > last_); }

private:
    Term inInput(Term x) const {
        return (axis_.numerator.exists() ? x * axis_.numerator : x) / axis_.divisor;
    }

    // For each output, its position in the input.
    Term positions() const {
        Term const x = Term::range(axis_.output).cast(DataType::kFLOAT);
        Term const length = axis_.length;
        switch (sampling_.rule) {
        case CoordinateRule::kAsymmetric: return inInput(x);
        case CoordinateRule::kHalfPixel: return inInput(x + 0.5) - 0.5;
        case CoordinateRule::kHalfPixelForNearest: return inInput(x + 0.5);
        case CoordinateRule::kPytorchHalfPixel:
            return (length > 1.0).choose(inInput(x + 0.5) - 0.5, x.like(0.0));
        case CoordinateRule::kAlignCorners:
            return (length == 1.0).choose(x.like(0.0), x * last_ / (length - 1.0));
        case CoordinateRule::kHalfPixelSymmetric: {
            Term const adjustment = axis_.output.cast(DataType::kFLOAT) / length;
            return input_ / 2.0 * (1.0 - adjustment) + inInput(x + 0.5) - 0.5;
        }
        case CoordinateRule::kCropAndResize: break;
        }
        Term const span = axis_.end - axis_.begin;
        return (length == 1.0)
            .choose((axis_.begin + axis_.end) / 2.0 * last_,
                    axis_.begin * last_ + x * span * last_ / (length - 1.0));
    }

    Term rounded() const {
        switch (sampling_.rounding) {
        case ResizeRoundMode::kHALF_UP: return (position_ + 0.5).floor();
        case ResizeRoundMode::kHALF_DOWN: return ceil(position_ - 0.5);
        case ResizeRoundMode::kFLOOR: return position_.floor();
        case ResizeRoundMode::kCEIL: break;
        }
        return ceil(position_);
    }
    static Term ceil(Term x) { return x.unary(nvinfer1::UnaryOperation::kCEIL); }

    Term index(Term at) const { return at.max(0.0).min(last_).cast(DataType::kINT64); }

    // Numbers for the outputs, beside the axes of the tensor.
    Term along(Term numbers) const {
        Axes others = axesBetween(0, x_.rank());
        others.erase(others.begin() + axis_.axis);
        return numbers.inserted(others);
    }

    Term interpolated() const {
        Term const low = position_.floor();
        Term const part = position_ - low;
        std::vector<std::pair<Term, Term>> taps; // positions and weights
        if (sampling_.mode == InterpolationMode::kLINEAR) {
            taps = {{low, 1.0 - part}, {low + 1.0, part}};
        } else {
            double const a = sampling_.cubic;
            taps = {{low - 1.0, farWeight(part + 1.0, a)},
                    {low, nearWeight(part, a)},
                    {low + 1.0, nearWeight(1.0 - part, a)},
                    {low + 2.0, farWeight(2.0 - part, a)}};
        }
        if (sampling_.excludesOutside) {
            Term total;
            for (auto& [at, weight] : taps) {
                weight = (at >= 0.0 && at <= last_).choose(weight, weight.like(0.0));
                total = total.exists() ? total + weight : weight;
            }
            for (auto& [at, weight] : taps) {
                weight = weight / total;
            }
        }
        Term sum;
        for (auto const& [at, weight] : taps) {
            Term const part = x_.gathered(index(at), axis_.axis) * along(weight);
            sum = sum.exists() ? sum + part : part;
        }
        return sum;
    }

    // The weights of all inputs for each output: a filter as wide as the scale needs. Inputs
    // outside are those of the border, whose weights become larger.
    Term filter() const {
        Term const scale =
            axis_.numerator.exists() ? axis_.divisor / axis_.numerator : axis_.divisor;
        Term const margin =
            axis_.scale
                ? Term::vector(
                      x_.context(),
                      {static_cast<int64_t>(std::ceil(2.0 / std::min(*axis_.scale, 1.0))) + 1})
                : count_ * 2.0 + 2.0; // the output has one element or more
        Term const all = Term::range(margin * 2.0 + count_) - margin;
        Term const distance =
            ((all.cast(DataType::kFLOAT).inserted({0}) - position_.inserted({1})) * scale.min(1.0))
                .abs();
        Term weights;
        if (sampling_.mode == InterpolationMode::kLINEAR) {
            weights = (1.0 - distance).max(0.0);
        } else {
            double const a = sampling_.cubic;
            Term const far = (distance < 2.0).choose(farWeight(distance, a), distance.like(0.0));
            weights = (distance <= 1.0).choose(nearWeight(distance, a), far);
        }
        Term inside = weights.sliced({1}, margin, count_);
        if (!sampling_.excludesOutside) {
            Term const zero = Term::vector(x_.context(), {0});
            Term const place = Term::range(count_).inserted({0});
            Term const before = weights.sliced({1}, zero, margin).sum({1});
            Term const after = weights.sliced({1}, margin + count_, margin).sum({1});
            Term const none = inside.like(0.0);
            inside = inside + (place == 0.0).choose(before, none) +
                     (place == count_ - 1).choose(after, none);
        }
        return inside / inside.sum({1});
    }

    Term filtered() const {
        Term const weights = filter();
        int32_t const rank = x_.rank();
        if (rank == 1) {
            return x_.inserted({0}).matmul(weights, false, true).removed({0});
        }
        if (axis_.axis == rank - 2) {
            return weights.matmul(x_);
        }
        bool const last = axis_.axis == rank - 1;
        Term const rows = last ? x_ : x_.swapped(axis_.axis, rank - 1);
        Term const result = rows.matmul(weights, false, true);
        return last ? result : result.swapped(axis_.axis, rank - 1);
    }

    Term x_;
    ResizedAxis const& axis_;
    Sampling const& sampling_;
    Term count_; // INT64: extent of the input
    Term input_; // FLOAT
    Term last_;
    Term position_;
};

// Integers are rounded, and clamped where cubic weights give more than their type has.
Term ofType(Term x, DataType type) {
    if (isReal(type)) {
        return x.cast(type);
    }
    Term const whole = x.round();
    return (type == DataType::kUINT8  ? whole.clamp(0.0, 255.0)
            : type == DataType::kINT8 ? whole.clamp(-128.0, 127.0)
                                      : whole)
        .cast(type);
}

} // namespace

Term resizedByParts(Term x, std::vector<ResizedAxis> const& axes, Sampling const& sampling) {
    bool const moves = sampling.mode == InterpolationMode::kNEAREST;
    bool const crops = sampling.rule == CoordinateRule::kCropAndResize;
    DataType const type = x.type();
    Term result = moves ? x : x.cast(DataType::kFLOAT);
    Term outside;
    for (ResizedAxis const& axis : axes) {
        AxisSampler const sampler(result, axis, sampling);
        if (crops) {
            Term const here = sampler.outside();
            outside = outside.exists() ? outside || here : here;
        }
        result = sampler.result();
    }
    if (outside.exists()) {
        result = outside.choose(result.like(sampling.extrapolation), result);
    }
    return moves ? result : ofType(result, type);
}

} // namespace kiln::onnx
