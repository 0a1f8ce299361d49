// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Gates and root-mean-square normalizations of com.microsoft for linear attention: GatedAdd,
// GatedRMSNorm, BranchwiseRMSNorm, ScaledSiLU and LinearAttentionGate.
// Layer: elementwise, reduce and unary.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::ActivationType;
using nvinfer1::DataType;

namespace {

// x + round(y * gate)
void importGatedAdd(NodeContext& context) {
    Term const product = Term::input(context, 1) * Term::input(context, 2);
    context.setOutput(0, (Term::input(context, 0) + product).value());
}

// FLOAT rows of the last axis over the root of the mean of their squares.
Term normalized(Term rows, double epsilon) {
    Term const mean = (rows * rows).mean({rows.rank() - 1});
    return rows * (mean + epsilon).sqrt().unary(nvinfer1::UnaryOperation::kRECIP);
}

// The last axis split into rows of this length.
Term splitRows(Term x, int64_t length) {
    NodeContext& context = x.context();
    std::vector<int64_t> const row{length};
    Term const last = x.extent(x.rank() - 1).floorDiv(static_cast<double>(length));
    std::vector<Term> extents{last, Term::vector(context, row)};
    if (x.rank() > 1) {
        extents.insert(extents.begin(), x.extents(axesBetween(0, x.rank() - 1)));
    }
    return x.reshaped(Term::joined(extents, 0));
}

int64_t lengthOf(Term scale) {
    int64_t const length = scale.rank() > 0 ? scale.dims().d[scale.rank() - 1] : -1;
    if (length < 1) {
        scale.context().fail(
            ErrorCode::kUNSUPPORTED_NODE_SHAPE,
            text("input 1 (scale): expected a known length, got ", scale.dims(), "."));
    }
    return length;
}

// Rows of the length of the scale, times the gate's activation.
void importGatedNorm(NodeContext& context) {
    auto& attributes = context.attributes();
    std::string const name = attributes.string("activation", "silu");
    if (name != "silu" && name != "swish" && name != "sigmoid") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'activation': expected silu, swish or sigmoid, got '", name, "'."));
    }
    Term const x = Term::input(context, 0);
    Term const scale = Term::input(context, 1).cast(DataType::kFLOAT);
    Term const gate = Term::input(context, 2).cast(DataType::kFLOAT);
    Term const rows = splitRows(x.cast(DataType::kFLOAT), lengthOf(scale));
    auto const epsilon = static_cast<double>(attributes.real("epsilon", 1e-6F));
    Term const result = (normalized(rows, epsilon) * scale).reshaped(x.shape());
    Term const open = name == "sigmoid" ? gate.sigmoid() : gate * gate.sigmoid();
    context.setOutput(0, (result * open).cast(x.type()).value());
}

// Branches are the last axis but one, or parts of the last axis.
void importBranchNorm(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const branches = attributes.integer("num_branches", 0);
    Term const x = Term::input(context, 0);
    Term rows = x.cast(DataType::kFLOAT);
    int64_t const width = x.rank() > 0 ? x.dims().d[x.rank() - 1] : -1;
    if (branches > 0) {
        if (width < branches || width % branches != 0) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                         text("expected a last extent that num_branches divides, got ", x.dims(),
                              " and ", branches, "."));
        }
        rows = splitRows(rows, width / branches);
    }
    Term result = normalized(rows, static_cast<double>(attributes.real("epsilon", 1e-6F)));
    if (context.hasInput(1)) {
        Term scale = Term::input(context, 1).cast(DataType::kFLOAT);
        int64_t const row = rows.dims().d[rows.rank() - 1];
        bool const isFlat = scale.rank() == 1 && row > 0 && scale.dims().d[0] != row;
        scale = isFlat ? scale.reshaped(std::vector<int64_t>{-1, row}) : scale;
        result = result * scale;
    }
    context.setOutput(0, result.reshaped(x.shape()).cast(x.type()).value());
}

// z * sigmoid(z) of z = scale * x
void importScaledSilu(NodeContext& context) {
    Term const x = Term::input(context, 0);
    double const alpha = static_cast<double>(context.attributes().real("alpha", 1.0F));
    Term const z = context.hasInput(1)
                       ? (x.cast(DataType::kFLOAT) * Term::input(context, 1).cast(DataType::kFLOAT))
                             .cast(x.type())
                       : x * alpha;
    context.setOutput(0, (z * z.sigmoid()).value());
}

// Inputs: a, the bias and the scale of the decay, b. Computed in FLOAT.
void importAttentionGate(NodeContext& context) {
    Term const a = Term::input(context, 0);
    Term const sum = a.cast(DataType::kFLOAT) + Term::input(context, 1).cast(DataType::kFLOAT);
    Term const decay = sum.activation(ActivationType::kSOFTPLUS, 1.0F, 1.0F) *
                       Term::input(context, 2).cast(DataType::kFLOAT);
    context.setOutput(0, decay.cast(a.type()).value());
    if (context.hasInput(3)) {
        context.setOutput(1, Term::input(context, 3).sigmoid().value());
    }
}

} // namespace

void registerImporter_ms_gates(ImporterRegistry& registry) {
    registry.add("com.microsoft", "GatedAdd", importGatedAdd);
    registry.add("com.microsoft", "GatedRMSNorm", importGatedNorm);
    registry.add("com.microsoft", "BranchwiseRMSNorm", importBranchNorm);
    registry.add("com.microsoft", "ScaledSiLU", importScaledSilu);
    registry.add("com.microsoft", "LinearAttentionGate", importAttentionGate);
}

} // namespace kiln::onnx
