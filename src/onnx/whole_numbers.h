// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Integer types that a network does not have, in the wider ones that stand for them.
#pragma once

#include "onnx/term.h"

#include <optional>

namespace kiln::onnx {

struct WholeForm {
    int32_t bits;
    bool isSigned;

    double lowest() const;
    double largest() const;
};

// Nothing for a type that is no integer.
std::optional<WholeForm> wholeFormOf(ElementType type);

// The numbers of INT32 or INT64 modulo 2^bits, in the range of the type.
Term wrapped(Term x, ElementType type);

// The product of two vectors, matrices or stacks of matrices of integers, as MatMul has it. Exact,
// modulo 2^bits: the layer for products has no integers. It takes a product for each pair of
// elements, then their sum.
Term wholeProduct(Term a, Term b);

// Whether every number of one type is a number of the other.
bool holdsAll(ElementType wide, ElementType narrow);

// Whether results of an operator pass the range of its type, and its definition lets them wrap.
bool mayWrap(std::string_view opType);

} // namespace kiln::onnx
