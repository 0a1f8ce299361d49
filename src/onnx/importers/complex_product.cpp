// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// ComplexMul and ComplexMulConj of com.microsoft: numbers are pairs along the last axis.
// Layer: elementwise.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

namespace {

struct Parts {
    Term real;
    Term imaginary;
};

Parts partsOf(Term x) {
    int32_t const last = x.rank() - 1;
    if (last < 0 || x.dims().d[last] != 2) {
        x.context().fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                         text("expected pairs along the last axis, got ", x.dims(), "."));
    }
    return {x.sliced(last, 0, 1), x.sliced(last, 1, 1)};
}

// a * b, or a * conj(b)
template <bool kConjugates>
void importComplexProduct(NodeContext& context) {
    auto const [a, b] = partsOf(Term::input(context, 0));
    auto const [c, d] = partsOf(Term::input(context, 1));
    Term const ac = a * c;
    Term const bd = b * d;
    Term const ad = a * d;
    Term const bc = b * c;
    Term const real = kConjugates ? ac + bd : ac - bd;
    Term const imaginary = kConjugates ? bc - ad : ad + bc;
    context.setOutput(0, Term::joined({real, imaginary}, real.rank() - 1).value());
}

} // namespace

void registerImporter_complex_product(ImporterRegistry& registry) {
    registry.add("com.microsoft", "ComplexMul", importComplexProduct<false>);
    registry.add("com.microsoft", "ComplexMulConj", importComplexProduct<true>);
}

} // namespace kiln::onnx
