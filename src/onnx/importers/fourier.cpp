// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// DFT and STFT as products with matrices of sines and cosines.
// Layer: fill, unary and matrix multiply. The work grows with the square of the length; the axis is
// known.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

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

std::optional<Term> vectorInput(NodeContext& context, size_t index) {
    if (!context.hasInput(index)) {
        return std::nullopt;
    }
    Term const x = Term::input(context, index).cast(DataType::kINT64);
    return x.rank() == 0 ? x.inserted({0}) : x;
}

void importDft(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    bool const old = context.opset() < 20;
    int64_t axisGiven = old ? attributes.integer("axis", 1) : -2;
    if (!old && context.hasInput(2)) {
        auto const axes = context.integers(2, "axis", 1);
        axisGiven = axes.empty() ? -2 : axes[0];
    }
    int32_t const axis = toAxis(axisGiven, x.rank());
    int32_t const last = x.rank() - 1;
    if (axis == last) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("axis: expected one before the last, got ", axis, "."));
    }
    bool const inverse = attributes.flag("inverse", false);
    bool const onesided = attributes.flag("onesided", false);
    auto const given = vectorInput(context, 1);
    Term const length = given                 ? *given
                        : inverse && onesided ? (x.extent(axis) - 1) * 2.0
                                              : x.extent(axis);
    Term const moved = axis == last - 1 ? x : x.swapped(axis, last - 1);
    Term const result = joinedParts(transformed(partsOf(moved), {length, inverse, onesided}));
    context.setOutput(0, (axis == last - 1 ? result : result.swapped(axis, last - 1)).value());
}

// signal: [batch, length, 1 or 2], result: [batch, frames, bins, 2]
void importStft(NodeContext& context) {
    Term x = Term::input(context, 0);
    x = x.rank() == 2 ? x.inserted({2}) : x;
    Term const step = *vectorInput(context, 1);
    auto const lengthGiven = vectorInput(context, 3);
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

} // namespace

void registerImporter_fourier(ImporterRegistry& registry) {
    registry.add("DFT", importDft);
    registry.add("STFT", importStft);
}

} // namespace kiln::onnx
