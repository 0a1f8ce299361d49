// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Functions of one element that are not activations. Source: the ONNX operator of each name.
// Layer: unary.

#include "onnx/importer_registry.h"

#include <limits>

namespace kiln::onnx {

using nvinfer1::UnaryOperation;

namespace {

template <UnaryOperation kOperation>
void importUnary(NodeContext& context) {
    context.setOutput(context.named(context.network().addUnary(context.tensor(0), kOperation)));
}

// Detects infinities of both signs or of one.
void importIsInf(NodeContext& context) {
    bool const positive = context.attributes().flag("detect_positive", true);
    bool const negative = context.attributes().flag("detect_negative", true);
    if (positive && negative) {
        importUnary<UnaryOperation::kISINF>(context);
        return;
    }
    if (!positive && !negative) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "expected detect_positive or detect_negative, got neither. Use a constant.");
    }
    nvinfer1::ITensor& tensor = context.tensor(0);
    float const infinity = std::numeric_limits<float>::infinity();
    nvinfer1::ITensor& wanted = context.scalar(positive ? infinity : -infinity, tensor.getType(),
                                               context.dims(tensor).nbDims, "infinity");
    context.setOutput(context.named(
        context.network().addElementWise(tensor, wanted, nvinfer1::ElementWiseOperation::kEQUAL)));
}

} // namespace

void registerImporter_unary(ImporterRegistry& registry) {
    registry.add("Abs", importUnary<UnaryOperation::kABS>);
    registry.add("Neg", importUnary<UnaryOperation::kNEG>);
    registry.add("Exp", importUnary<UnaryOperation::kEXP>);
    registry.add("Log", importUnary<UnaryOperation::kLOG>);
    registry.add("Sqrt", importUnary<UnaryOperation::kSQRT>);
    registry.add("Reciprocal", importUnary<UnaryOperation::kRECIP>);
    registry.add("Sin", importUnary<UnaryOperation::kSIN>);
    registry.add("Cos", importUnary<UnaryOperation::kCOS>);
    registry.add("Tan", importUnary<UnaryOperation::kTAN>);
    registry.add("Sinh", importUnary<UnaryOperation::kSINH>);
    registry.add("Cosh", importUnary<UnaryOperation::kCOSH>);
    registry.add("Asin", importUnary<UnaryOperation::kASIN>);
    registry.add("Acos", importUnary<UnaryOperation::kACOS>);
    registry.add("Atan", importUnary<UnaryOperation::kATAN>);
    registry.add("Asinh", importUnary<UnaryOperation::kASINH>);
    registry.add("Acosh", importUnary<UnaryOperation::kACOSH>);
    registry.add("Atanh", importUnary<UnaryOperation::kATANH>);
    registry.add("Ceil", importUnary<UnaryOperation::kCEIL>);
    registry.add("Floor", importUnary<UnaryOperation::kFLOOR>);
    registry.add("Erf", importUnary<UnaryOperation::kERF>);
    registry.add("Not", importUnary<UnaryOperation::kNOT>);
    registry.add("Sign", importUnary<UnaryOperation::kSIGN>);
    registry.add("Round", importUnary<UnaryOperation::kROUND>);
    registry.add("IsNaN", importUnary<UnaryOperation::kISNAN>);
    registry.add("IsInf", importIsInf);
}

} // namespace kiln::onnx
