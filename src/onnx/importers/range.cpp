// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Range: start, start + delta, ... before limit. Inputs may be computed from extents, because they
// determine the number of elements.
// Layer: fill. Bounds that only data gives have a limit, see below.

#include "onnx/data_extents.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

#include <algorithm>
#include <cmath>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::FillOperation;
using nvinfer1::ITensor;

namespace {

// Floats that extents or data give. Half-precision ones are taken as FLOAT.
void importComputedReal(NodeContext& context, DataType type) {
    Term const start = Term::input(context, 0).cast(DataType::kFLOAT);
    Term const limit = Term::input(context, 1).cast(DataType::kFLOAT);
    Term const delta = Term::input(context, 2).cast(DataType::kFLOAT);
    Term const quotient = (limit - start) / delta;
    Term const count = quotient.unary(nvinfer1::UnaryOperation::kCEIL).cast(DataType::kINT64);
    auto const vector = [](Term x) { return x.rank() == 0 ? x.inserted({0}) : x; };
    auto* layer =
        context.network().addFill(Dims{1, {0}}, FillOperation::kLINSPACE, DataType::kFLOAT);
    auto& fill = context.named(layer);
    fill.setInput(0, extentsOfData(context, vector(count).max(0.0).tensor()));
    fill.setInput(1, (start.rank() == 0 ? start : start.removed({0})).tensor());
    fill.setInput(2, vector(delta).tensor());
    context.setOutput(0, Term(context, *fill.getOutput(0)).cast(type).value());
}

void importReal(NodeContext& context, DataType type) {
    if (!context.isKnown(0) || !context.isKnown(1) || !context.isKnown(2)) {
        importComputedReal(context, type);
        return;
    }
    double const start = context.real(0, "start");
    double const limit = context.real(1, "limit");
    double const delta = context.real(2, "delta");
    double const count = std::ceil((limit - start) / delta);
    if (!std::isfinite(count) || count > 0x1p31) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected a limit within reach of start and delta, got ", start, ", ",
                          limit, " and ", delta, "."));
    }
    Dims const dims{1, {static_cast<int64_t>(std::max(count, 0.0))}};
    auto& layer = context.named(context.network().addFill(dims, FillOperation::kLINSPACE, type));
    layer.setAlpha(start);
    layer.setBeta(delta);
    context.setOutput(layer);
}

// A vector of one element, converted to the given type and rank (0 or 1).
ITensor& shaped(NodeContext& context, ITensor& vector, int32_t rank, DataType type,
                std::string const& role) {
    ITensor* tensor = &vector;
    if (type != DataType::kINT64) {
        auto* cast = context.network().addCast(*tensor, type);
        tensor = context.named(cast, role + "_cast").getOutput(0);
    }
    return rank == 1 ? *tensor : reshape(context, *tensor, Dims{0, {}}, false, role);
}

// A short range of constants stays a constant: models often write axes and shapes like this.
bool importKnown(NodeContext& context) {
    std::vector<int64_t> bounds;
    for (size_t i = 0; i < 3; ++i) {
        Value const& value = context.input(i);
        if (!value.isConstant || value.constant.weights.count != 1 ||
            value.constant.weights.type != DataType::kINT64) {
            return false;
        }
        bounds.push_back(integersOf(value.constant, "bound")[0]);
        if (bounds.back() < -kFarthest || bounds.back() > kFarthest) {
            return false;
        }
    }
    std::vector<int64_t> values;
    int64_t const delta = bounds[2];
    for (int64_t at = bounds[0]; delta > 0 ? at < bounds[1] : delta < 0 && at > bounds[1];
         at += delta) {
        if (static_cast<int64_t>(values.size()) == kMostFolded) {
            return false;
        }
        values.push_back(at);
    }
    if (delta == 0) {
        return false; // the network reports the error
    }
    context.setOutput(0, constantOf(context, values));
    return true;
}

void importRange(NodeContext& context) {
    if (importKnown(context)) {
        return;
    }
    DataType const type = NodeContext::typeOf(context.input(0));
    if (type != DataType::kINT32 && type != DataType::kINT64) {
        importReal(context, type);
        return;
    }
    ShapeMath math(context);
    ITensor& start = math.operand(0);
    ITensor& delta = math.operand(2);
    ITensor& span = math.combine(math.operand(1), ElementWiseOperation::kSUB, start);
    // The ceiling of the quotient is the negated floor of the negated quotient.
    ITensor& zero = math.vector({0});
    ITensor& opposite = math.combine(zero, ElementWiseOperation::kSUB, span);
    ITensor& floor = math.combine(opposite, ElementWiseOperation::kFLOOR_DIV, delta);
    ITensor& ceiling = math.combine(zero, ElementWiseOperation::kSUB, floor);
    auto& layer =
        context.named(context.network().addFill(Dims{1, {0}}, FillOperation::kLINSPACE, type));
    layer.setInput(0, math.combine(ceiling, ElementWiseOperation::kMAX, zero));
    layer.setInput(1, shaped(context, start, 0, type, "start"));
    layer.setInput(2, shaped(context, delta, 1, type, "delta"));
    context.setOutput(layer);
}

// com.microsoft: the increment may be absent.
void importMsRange(NodeContext& context) {
    if (!context.hasInput(2)) {
        Term const one = Term::number(context, 1, NodeContext::typeOf(context.input(0)));
        context.setInput(2, one.value());
    }
    importRange(context);
}

} // namespace

void registerImporter_range(ImporterRegistry& registry) {
    registry.add("Range", importRange);
    registry.add("com.microsoft", "Range", importMsRange);
}

} // namespace kiln::onnx
