// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/nms.h"

#include <algorithm>

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

std::string Nms::problem() const {
    if (std::string text = enumProblem(format, "BoundingBoxFormat"); !text.empty()) {
        return text;
    }
    if (limit < 0) {
        return fmt::format("expected a limit of 0 boxes or more, got {}.", limit);
    }
    return indexType == DataType::kINT32 || indexType == DataType::kINT64
               ? std::string()
               : fmt::format("expected indices of int32 or int64, got {}.",
                             isMember(indexType) ? nameOf(indexType) : "an unknown type");
}

TypeRule Nms::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(operand);
    static_cast<void>(inputCount);
    return TypeRule::kFixed; // rounded coordinates would select other boxes
}

Nms::Shape Nms::shapeFor(Dims const& boxes, Dims const& scores) const noexcept {
    Shape shape{scores.d[0], scores.d[1], scores.d[2], boxes.nbDims == 3 || boxes.d[2] == 1, 0};
    shape.candidates = std::min<int64_t>(limit, shape.boxes * shape.classes);
    return shape;
}

void Nms::checkShapes(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    ShapeExpr const& boxes = context.inputs[kBoxes].shape;
    ShapeExpr const& scores = context.inputs[kScores].shape;
    auto const agree = [&](ExprRef a, ExprRef b) {
        int64_t const left = pool.constantOr(a);
        int64_t const right = pool.constantOr(b);
        return left < 0 || right < 0 || left == right;
    };
    bool fits = (boxes.rank == 3 || boxes.rank == 4) && scores.rank == 3 &&
                pool.constantOr(boxes[boxes.rank - 1], 4) == 4 && agree(boxes[0], scores[0]) &&
                agree(boxes[1], scores[1]);
    if (fits && boxes.rank == 4) {
        fits = pool.constantOr(boxes[2]) == 1 || agree(boxes[2], scores[2]);
    }
    if (!fits) {
        fail(
            ErrorKind::kInvalidArgument,
            "{}: expected boxes [batch, boxes, classes, 4] or [batch, boxes, 4] and scores [batch, "
            "boxes, classes], got {} and {}. Reshape or transpose them.",
            where(context, kKind), toText(knownDims(pool, boxes)), toText(knownDims(pool, scores)));
    }
}

void Nms::checkScalars(InferContext const& context) const {
    constexpr char const* kNames[] = {"", "", "maximum number of boxes", "IoU threshold",
                                      "score threshold"};
    for (int32_t i = kMost; i <= kLeastScore; ++i) {
        if (!context.has(static_cast<std::size_t>(i))) {
            continue;
        }
        TensorFacts const& facts = context.inputs[static_cast<std::size_t>(i)];
        bool const integral = facts.type == DataType::kINT32 || facts.type == DataType::kINT64;
        bool const typed = i == kMost ? integral : facts.type == DataType::kFLOAT;
        bool const single = facts.shape.rank == 0 ||
                            (facts.shape.rank == 1 && context.pool.constantOr(facts.shape[0]) == 1);
        if (!typed || !single) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, {} (input {}): expected a scalar of {}, got {} {}. Cast or reshape it.",
                 where(context, kKind), kNames[i], i, i == kMost ? "int32 or int64" : "float32",
                 nameOf(facts.type), toText(knownDims(context.pool, facts.shape)));
        }
    }
}

/// The number of rows is at most that of the candidates, and of the boxes that all classes may
/// have.
ExprRef Nms::boundOf(InferContext const& context) const {
    ExprPool& pool = context.pool;
    ShapeExpr const& scores = context.inputs[kScores].shape;
    if (!context.given.empty()) { // the operand's value is not at hand
        return pool.constant(context.given[0].d[0]);
    }
    ExprRef perClass = scores[1];
    if (auto const most = constantValues(pool, context.inputs[kMost])) {
        int64_t const number = std::max<int64_t>(most->front(), 0);
        perClass = pool.binary(ExprOp::kMin, perClass, pool.constant(number));
    }
    ExprRef const candidates = pool.binary(ExprOp::kMin, pool.constant(limit),
                                           pool.binary(ExprOp::kProd, scores[1], scores[2]));
    ExprRef const rows =
        pool.binary(ExprOp::kMin, candidates, pool.binary(ExprOp::kProd, perClass, scores[2]));
    return pool.binary(ExprOp::kProd, scores[0], rows);
}

void Nms::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 5);
    DataType const type = expectFloating(context, kKind);
    if (context.inputs[kScores].type != type) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected scores (input 1) of {} like the boxes, got {}. Add a cast layer.",
             where(context, kKind), nameOf(type), nameOf(context.inputs[kScores].type));
    }
    checkShapes(context);
    checkScalars(context);
    ExprPool& pool = context.pool;
    ExprRef const bound = boundOf(context);
    TensorFacts& rows = context.outputs[0];
    rows.type = indexType;
    rows.shape.rank = 2;
    rows.shape[0] =
        context.declareSize(0, pool.binary(ExprOp::kCeilDiv, bound, pool.constant(2)), bound);
    rows.shape[1] = pool.constant(3);
    if (context.outputs.size() > 1) {
        context.outputs[1].type = DataType::kINT32;
        context.outputs[1].shape.rank = 0;
    }
}

void registerOp_nms(OpRegistry& registry) {
    registry.add(Nms::kKind, &Nms::load);
}

} // namespace kiln::graph
