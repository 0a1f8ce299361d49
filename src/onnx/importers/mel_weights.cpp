// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MelWeightMatrix: triangles that sum a spectrum into mel bins.
//   result: [dft_length / 2 + 1, num_mel_bins]
// Layer: fill, elementwise and select. Sizes may be inputs of the model.

#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

constexpr double kMelFactor = 2595.0;
constexpr double kMelCorner = 700.0;
constexpr double kLogOf10 = 2.302585092994046;

Term melOf(Term hertz) {
    return (hertz / kMelCorner + 1.0).log() * (kMelFactor / kLogOf10);
}

Term hertzOf(Term mel) {
    return ((mel * (kLogOf10 / kMelFactor)).exp() - 1.0) * kMelCorner;
}

Term vectorOf(Term scalar) {
    return scalar.rank() == 0 ? scalar.inserted({0}) : scalar;
}

void importMelWeightMatrix(NodeContext& context) {
    auto const number = static_cast<ElementType>(
        toInt32(context.attributes().integer("output_datatype", 1), "attribute 'output_datatype'"));
    Term const bins = vectorOf(Term::input(context, 0)).cast(DataType::kINT64);
    Term const length = vectorOf(Term::input(context, 1)).cast(DataType::kINT64);
    Term const rate = vectorOf(Term::input(context, 2)).cast(DataType::kFLOAT);
    Term const lowest = melOf(vectorOf(Term::input(context, 3)).cast(DataType::kFLOAT));
    Term const highest = melOf(vectorOf(Term::input(context, 4)).cast(DataType::kFLOAT));
    Term const step = (highest - lowest) / (bins + 2.0).cast(DataType::kFLOAT);
    Term const row = Term::range(bins).cast(DataType::kFLOAT).inserted({0}); // [1, bins]
    Term const column =
        Term::range(length.floorDiv(2.0) + 1.0).cast(DataType::kFLOAT).inserted({1});
    auto const borderOf = [&](double next) { // in elements of the spectrum
        Term const hertz = hertzOf((row + next) * step + lowest);
        return ((length + 1.0).cast(DataType::kFLOAT) * hertz / rate).floor();
    };
    Term const left = borderOf(0);
    Term const centre = borderOf(1);
    Term const right = borderOf(2);
    Term const rising = (column - left) / (centre - left).max(1.0);
    Term const falling = (right - column) / (right - centre).max(1.0);
    Term const zero = column.like(0);
    Term const peak = column == centre; // also of a triangle without a left side
    Term const isRising = column >= left && column < centre;
    Term const isFalling = column > centre && column < right;
    Term const result =
        peak.choose(column.like(1), isRising.choose(rising, isFalling.choose(falling, zero)));
    context.setOutput(0,
                      result.cast(requireDataType(number, "attribute 'output_datatype'")).value());
}

} // namespace

void registerImporter_mel_weights(ImporterRegistry& registry) {
    registry.add("MelWeightMatrix", importMelWeightMatrix);
}

} // namespace kiln::onnx
