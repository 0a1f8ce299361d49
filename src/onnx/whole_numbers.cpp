// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/whole_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln::onnx {

using nvinfer1::DataType;

double WholeForm::lowest() const {
    return isSigned ? -std::ldexp(1.0, bits - 1) : 0.0;
}

double WholeForm::largest() const {
    return std::ldexp(1.0, isSigned ? bits - 1 : bits) - 1;
}

std::optional<WholeForm> wholeFormOf(ElementType type) {
    switch (type) {
    case ElementType::kUint2: return WholeForm{2, false};
    case ElementType::kInt2: return WholeForm{2, true};
    case ElementType::kUint4: return WholeForm{4, false};
    case ElementType::kInt4: return WholeForm{4, true};
    case ElementType::kBool: return WholeForm{1, false};
    case ElementType::kUint8: return WholeForm{8, false};
    case ElementType::kInt8: return WholeForm{8, true};
    case ElementType::kUint16: return WholeForm{16, false};
    case ElementType::kInt16: return WholeForm{16, true};
    case ElementType::kUint32: return WholeForm{32, false};
    case ElementType::kInt32: return WholeForm{32, true};
    case ElementType::kUint64: return WholeForm{64, false};
    case ElementType::kInt64: return WholeForm{64, true};
    default: return std::nullopt;
    }
}

Term wrapped(Term x, ElementType type) {
    auto const form = wholeFormOf(type);
    bool const isWide = x.type() == DataType::kINT64 || (form && form->bits < 32);
    if (!form || form->bits >= 64 || !isWide) {
        return x; // the arithmetic of the type itself
    }
    double const span = std::ldexp(1.0, form->bits);
    Term const shifted = form->isSigned ? x + span / 2 : x;
    Term const rest = shifted - shifted.floorDiv(span) * span;
    return form->isSigned ? rest - span / 2 : rest;
}

Term wholeProduct(Term a, Term b) {
    bool const isRow = a.rank() == 1;
    bool const isColumn = b.rank() == 1;
    Term const rows = isRow ? a.inserted({0}) : a;
    Term const columns = isColumn ? b.inserted({0}) : b.swapped(b.rank() - 1, b.rank() - 2);
    Term const products = rows.inserted({rows.rank() - 1}) * columns.inserted({columns.rank() - 2});
    int32_t const last = products.rank() - 1;
    Term const sums = products.sum({last}, false); // [..., rows, columns]
    Axes gone;
    if (isRow) {
        gone.push_back(last - 2);
    }
    if (isColumn) {
        gone.push_back(last - 1);
    }
    return gone.empty() ? sums : sums.removed(gone);
}

bool holdsAll(ElementType wide, ElementType narrow) {
    auto const to = wholeFormOf(wide);
    auto const from = wholeFormOf(narrow);
    return to && from &&
           (to->isSigned == from->isSigned ? to->bits >= from->bits
                                           : to->isSigned && to->bits > from->bits);
}

bool mayWrap(std::string_view opType) {
    static constexpr std::array<std::string_view, 15> kOperators{
        "Abs", "Add",        "CumProd",   "CumSum",          "Div", "Gemm", "MatMul", "Mul", "Neg",
        "Pow", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Sub", "Sum"};
    return std::find(kOperators.begin(), kOperators.end(), opType) != kOperators.end();
}

} // namespace kiln::onnx
