// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// DFT and STFT as products with matrices of sines and cosines.
// Layer: fill, unary and matrix multiply. The work grows with the square of the length.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"

#include <numbers>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

struct Complex {
    Term real;
    Term imaginary; // may not exist
};

// cos and sin of 2 * pi * row * column / length. The product is reduced modulo the length first, so
// that large ones stay exact.
Complex waves(Term rows, Term columns, Term length, DataType type) {
    Term const product = Term::range(rows).inserted({1}) * Term::range(columns).inserted({0});
    Term const rest = product - product.floorDiv(length) * length;
    Term const angle =
        rest.cast(DataType::kFLOAT) / length.cast(DataType::kFLOAT) * (2.0 * std::numbers::pi);
    return {angle.cos().cast(type), angle.sin().cast(type)};
}

struct Request {
    Term length; // of the transform
    bool inverse;
    bool onesided;
};

// The transform along the last axis of both parts.
Complex transformed(Complex x, Request const& request) {
    NodeContext& context = x.real.context();
    int32_t const last = x.real.rank() - 1;
    Term const half = request.length.floorDiv(2) + 1;
    bool const toReal = request.inverse && request.onesided;
    Term const taken = toReal ? half : request.length;
    Term const zero = Term::vector(context, {0});
    auto const fitted = [&](Term part) {
        return part.sliced({last}, zero, taken, nvinfer1::SampleMode::kFILL);
    };
    Term real = fitted(x.real);
    Term imaginary = x.imaginary.exists() ? fitted(x.imaginary) : Term();
    Term const results = request.onesided && !request.inverse ? half : request.length;
    auto const [cosines, sines] = waves(taken, results, request.length, real.type());
    if (toReal) { // the bins that are left out are the conjugates of the others
        Term const bins = Term::range(taken);
        Term const alone = bins == 0.0 || bins * 2.0 == request.length;
        Term const weight = alone.choose(bins.like(1), bins.like(2)).cast(real.type());
        real = real * weight;
        imaginary = imaginary.exists() ? imaginary * weight : imaginary;
    }
    bool const has = imaginary.exists();
    Term outReal = real.matmul(cosines);
    Term outImaginary = real.matmul(sines);
    if (request.inverse) {
        Term const count = request.length.cast(real.type());
        outReal = (has ? outReal - imaginary.matmul(sines) : outReal) / count;
        outImaginary = (has ? outImaginary + imaginary.matmul(cosines) : outImaginary) / count;
        return {outReal, toReal ? Term() : outImaginary};
    }
    return {has ? outReal + imaginary.matmul(sines) : outReal,
            has ? imaginary.matmul(cosines) - outImaginary : -outImaginary};
}

Complex partsOf(Term x) { // [..., 1 or 2]
    int32_t const last = x.rank() - 1;
    int64_t const count = x.dims().d[last];
    return {x.sliced(last, 0, 1).removed({last}),
            count == 2 ? x.sliced(last, 1, 1).removed({last}) : Term()};
}

Term joinedParts(Complex x) {
    int32_t const last = x.real.rank();
    return x.imaginary.exists()
               ? Term::joined({x.real.inserted({last}), x.imaginary.inserted({last})}, last)
               : x.real.inserted({last});
}

std::optional<Term> lengthInput(NodeContext& context, size_t index) {
    return context.hasInput(index) ? std::optional(vectorInput(context, index)) : std::nullopt;
}

// [..., 1 or 2] along one axis.
Term dftAlong(Term x, int32_t axis) {
    NodeContext& context = x.context();
    int32_t const last = x.rank() - 1;
    if (axis == last) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("axis: expected one before the last, got ", axis, "."));
    }
    bool const inverse = context.attributes().flag("inverse", false);
    bool const onesided = context.attributes().flag("onesided", false);
    auto const given = lengthInput(context, 1);
    Term const length = given                 ? *given
                        : inverse && onesided ? (x.extent(axis) - 1) * 2.0
                                              : x.extent(axis);
    Term const moved = axis == last - 1 ? x : x.swapped(axis, last - 1);
    Term const result = joinedParts(transformed(partsOf(moved), {length, inverse, onesided}));
    return axis == last - 1 ? result : result.swapped(axis, last - 1);
}

Term withImaginary(Term x) {
    int32_t const last = x.rank() - 1;
    return x.dims().d[last] == 2 ? x : Term::joined({x, x.zeros()}, last);
}

// The axis is known only at run time: all axes are tried, and the one that is meant is kept.
Term dftSomewhere(NodeContext& context, Term input) {
    Term x = withImaginary(input);
    int32_t const last = x.rank() - 1;
    ComputedAxes const axes(context, 2, x.rank());
    for (int32_t axis = 0; axis < last; ++axis) {
        Term const result = withImaginary(dftAlong(x, axis));
        Term const flag = axes.flags().sliced(0, axis, 1);
        Term const other = 1.0 - flag;
        Term const extent = result.extent(axis);
        x = Term::joined({result, x}, axis)
                .sliced({axis}, other * extent, flag * extent + other * x.extent(axis));
    }
    auto& attributes = context.attributes();
    bool const toReal = attributes.flag("inverse", false) && attributes.flag("onesided", false);
    return toReal ? x.sliced(last, 0, 1) : x;
}

void importDft(NodeContext& context) {
    Term const x = Term::input(context, 0);
    bool const old = context.opset() < 20;
    int64_t axisGiven = old ? context.attributes().integer("axis", 1) : -2;
    if (!old && context.hasInput(2)) {
        if (!context.isKnown(2)) {
            context.setOutput(0, dftSomewhere(context, x).value());
            return;
        }
        auto const axes = context.integers(2, "axis", 1);
        axisGiven = axes.empty() ? -2 : axes[0];
    }
    context.setOutput(0, dftAlong(x, toAxis(axisGiven, x.rank())).value());
}

// signal: [batch, length, 1 or 2], result: [batch, frames, bins, 2]
void importStft(NodeContext& context) {
    Term x = Term::input(context, 0);
    x = x.rank() == 2 ? x.inserted({2}) : x;
    Term const step = vectorInput(context, 1);
    auto const lengthGiven = lengthInput(context, 3);
    Term const length = lengthGiven ? *lengthGiven : Term::input(context, 2).extent(0);
    Term const frames = (x.extent(1) - length).floorDiv(step) + 1;
    Term const at = Term::range(frames).inserted({1}) * step + Term::range(length).inserted({0});
    Term pieces = x.gathered(at, 1); // [batch, frames, length, parts]
    if (context.hasInput(2)) {
        pieces = pieces * Term::input(context, 2).inserted({1});
    }
    bool const onesided = context.attributes().flag("onesided", true);
    context.setOutput(0,
                      joinedParts(transformed(partsOf(pieces), {length, false, onesided})).value());
}

// com.microsoft: of real signals, onesided, along the last axis of the signal.
template <bool kInverse>
void importRealTransform(NodeContext& context) {
    auto& attributes = context.attributes();
    if (attributes.integer("signal_ndim", 1) != 1 || attributes.integer("normalized", 0) != 0 ||
        attributes.integer("onesided", 1) != 1) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "expected signal_ndim 1, normalized 0 and onesided 1.");
    }
    Term const x = Term::input(context, 0);
    if constexpr (kInverse) {
        Term const length = (x.extent(x.rank() - 2) - 1) * 2.0;
        context.setOutput(0, transformed(partsOf(x), {length, true, true}).real.value());
    } else {
        Term const length = x.extent(x.rank() - 1);
        context.setOutput(0, joinedParts(transformed({x, Term()}, {length, false, true})).value());
    }
}

} // namespace

void registerImporter_fourier(ImporterRegistry& registry) {
    registry.add("DFT", importDft);
    registry.add("STFT", importStft);
    registry.add("com.microsoft", "Rfft", importRealTransform<false>);
    registry.add("com.microsoft", "Irfft", importRealTransform<true>);
}

} // namespace kiln::onnx
