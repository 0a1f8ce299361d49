// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// AffineGrid: positions for GridSample, of 2 or 3 dimensions.
//   theta: [batch, n, n + 1], size: [batch, channels, extents...], result: [batch, extents..., n]
// Layer: fill, elementwise and matrix multiply. Sizes may be computed from extents.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importAffineGrid(NodeContext& context) {
    Term const theta = Term::input(context, 0);
    Term const size = Term::input(context, 1).cast(DataType::kINT64);
    bool const corners = context.attributes().flag("align_corners", false);
    auto const n = static_cast<int32_t>(size.dims().d[0]) - 2;
    if (n != 2 && n != 3) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 1 (size): expected 4 or 5 numbers, got ", size.dims(), "."));
    }
    Term const extents = size.sliced(0, 2, n);
    std::vector<Term> coordinates; // x first
    for (int32_t i = n - 1; i >= 0; --i) {
        Term const count = extents.sliced(0, i, 1);
        Term const span = count.cast(DataType::kFLOAT);
        Term const at = Term::range(count).cast(DataType::kFLOAT);
        Term const line =
            corners ? at * 2.0 / (span - 1.0).max(1.0) - 1.0 : (at * 2.0 + 1.0) / span - 1.0;
        Axes others = axesBetween(0, n + 1);
        others.erase(others.begin() + i);
        Term const one = Term::vector(context, {1});
        coordinates.push_back(line.inserted(others).expanded(Term::joined({extents, one}, 0)));
    }
    coordinates.push_back(coordinates[0] * 0.0 + 1.0);
    Term const points = Term::joined(coordinates, n)
                            .reshaped(std::vector<int64_t>{1, -1, n + 1})
                            .cast(theta.type());
    Term const shape = Term::joined({size.sliced(0, 0, 1), extents, Term::vector(context, {n})}, 0);
    context.setOutput(0, points.matmul(theta, false, true).reshaped(shape).value());
}

} // namespace

void registerImporter_affine_grid(ImporterRegistry& registry) {
    registry.add("AffineGrid", importAffineGrid);
}

} // namespace kiln::onnx
