// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Operators of com.microsoft on integers of 8 and 16 bits with results of INT32: MatMulInteger16,
// ReduceSumInteger and MulInteger.
// Layer: elementwise, reduce and matrix multiply.

#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/whole_numbers.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

Term wide(NodeContext& context, size_t index) {
    return Term::input(context, index).cast(DataType::kINT32);
}

void importMatMulInteger16(NodeContext& context) {
    Term const a = wide(context, 0);
    Term const b = wide(context, 1);
    if (a.rank() < 2 || b.rank() < 2) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("expected two matrices or more, got ", a.dims(), " and ", b.dims(), "."));
    }
    context.setOutput(0, wholeProduct(a, b).value());
}

void importReduceSumInteger(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = wide(context, 0);
    Axes axes = toAxes(attributes.integers("axes", {}), x.rank());
    axes = axes.empty() ? axesBetween(0, x.rank()) : axes;
    context.setOutput(0, x.sum(axes, attributes.flag("keepdims", true)).value());
}

// Inputs: A, its zero point, B, its zero point.
void importMulInteger(NodeContext& context) {
    auto const centred = [&](size_t index) {
        Term const x = wide(context, index);
        return context.hasInput(index + 1) ? x - wide(context, index + 1) : x;
    };
    context.setOutput(0, (centred(0) * centred(2)).value());
}

} // namespace

void registerImporter_ms_integers(ImporterRegistry& registry) {
    registry.add("com.microsoft", "MatMulInteger16", importMatMulInteger16);
    registry.add("com.microsoft", "ReduceSumInteger", importReduceSumInteger);
    registry.add("com.microsoft", "MulInteger", importMulInteger);
}

} // namespace kiln::onnx
