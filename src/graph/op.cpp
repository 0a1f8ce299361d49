// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/op.h"

#include "graph/ops/region.h"

namespace kiln::graph {

std::unique_ptr<Region> Op::parts(InferContext const& context) const {
    static_cast<void>(context);
    return nullptr;
}

std::string where(InferContext const& context, std::string_view kind) {
    return context.layer.empty() ? fmt::format("[shape] {}", kind)
                                 : fmt::format("[network] layer '{}' ({})", context.layer, kind);
}

ExprRef InferContext::declareSize(std::size_t which, ExprRef optimum, ExprRef bound) {
    if (which >= sizes.size()) {
        fail(ErrorKind::kInternal,
             "[network] layer '{}': size {} was declared, but the operation has {}. Report this as "
             "a defect of Kiln.",
             layer, which, sizes.size());
    }
    DeclaredSize& size = sizes[which];
    size.number = size.number < 0 ? pool.newSizeTensor() : size.number;
    size.value = pool.sizeTensor(size.number, optimum, bound);
    return size.value;
}

void expectPresent(InferContext const& context, Op const& op) {
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        if (context.inputs[i].isAbsent() && !op.mayBeAbsent(static_cast<int32_t>(i))) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected a tensor as input {}, got none. Connect it; only later inputs are.",
                 where(context, op.kind()), i);
        }
    }
}

void expectInputs(InferContext const& context, std::string_view kind, std::size_t least,
                  std::size_t most) {
    std::size_t const count = context.inputs.size();
    if (count < least || count > most) {
        std::string const expected =
            least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
        fail(ErrorKind::kInvalidArgument,
             "{}: expected {} inputs, got {}. Connect the tensors that the layer takes.",
             where(context, kind), expected, count);
    }
}

DataType expectSameType(InferContext const& context, std::string_view kind) {
    DataType const first = context.inputs.front().type;
    for (std::size_t i = 1; i < context.inputs.size(); ++i) {
        if (context.has(i) && context.inputs[i].type != first) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected input {} to be {} like input 0, got {}. Add a cast layer.",
                 where(context, kind), i, nameOf(first), nameOf(context.inputs[i].type));
        }
    }
    return first;
}

DataType expectFloating(InferContext const& context, std::string_view kind) {
    DataType const type = context.inputs.front().type;
    if (!isFloating(type)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected input 0 to be float32, float16 or bfloat16, got {}. Add a cast layer.",
             where(context, kind), nameOf(type));
    }
    return type;
}

ExprRef broadcastExtent(InferContext const& context, std::string_view kind, int32_t axis, ExprRef a,
                        ExprRef b) {
    if (a == b) {
        return a;
    }
    int64_t const left = context.pool.constantOr(a);
    int64_t const right = context.pool.constantOr(b);
    if (left == 1) {
        return b;
    }
    if (right == 1) {
        return a;
    }
    if (left >= 0 && right >= 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}, dimension {}: expected equal extents or 1, got {} and {}. "
             "Reshape one of the inputs.",
             where(context, kind), axis, left, right);
    }
    // A known extent other than 1 is the result: the other one must be 1 or equal at run time.
    if (left >= 0 || right >= 0) {
        return left >= 0 ? a : b;
    }
    // The larger one, or 0 if one of them is 0 (the other is then 0 or 1).
    ExprPool& pool = context.pool;
    ExprRef const filled =
        pool.binary(ExprOp::kMin, pool.binary(ExprOp::kMin, a, b), pool.constant(1));
    return pool.binary(ExprOp::kProd, pool.binary(ExprOp::kMax, a, b), filled);
}

} // namespace kiln::graph
