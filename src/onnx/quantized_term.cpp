// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/quantized_term.h"

#include <kiln/known_values.h>

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Products of integers want no zero point, so one that is 0 is left out.
bool isZero(Term zero) {
    int64_t values[64] = {};
    int64_t const count = knownValues(zero.cast(DataType::kINT32).tensor(), values, 64);
    return count >= 0 && std::all_of(values, values + count, [](int64_t x) { return x == 0; });
}

bool hasMany(Term x) {
    return x.rank() > 0 && x.dims().d[x.rank() - 1] != 1;
}

Term flat(Term x) {
    return x.rank() <= 1 ? x : x.reshaped(std::vector<int64_t>{-1});
}

} // namespace

Term dequantized(Term x, Term scale, std::optional<Term> zero, int32_t axis) {
    NodeContext& context = x.context();
    if (x.type() == DataType::kINT32) {
        Term const shifted = zero ? x - *zero : x;
        return shifted.cast(scale.type()) * scale;
    }
    Term factor = flat(scale);
    bool const along = hasMany(factor) || (zero && hasMany(flat(*zero)));
    if (along && !hasMany(factor)) {
        factor = factor.expanded(flat(*zero).shape());
    }
    auto* layer = context.network().addDequantize(x.tensor(), factor.tensor(), scale.type());
    Term const result = x.of(layer);
    if (along) {
        layer->setAxis(axis);
    }
    if (zero && !isZero(*zero)) {
        Term const offset = flat(*zero);
        layer->setInput(
            2, (along && !hasMany(offset) ? offset.expanded(factor.shape()) : offset).tensor());
    }
    return result;
}

Term quantized(Term x, Term scale, std::optional<Term> zero, int32_t axis, DataType otherwise) {
    DataType const type = zero ? zero->type() : otherwise;
    auto* layer = x.context().network().addQuantize(x.tensor(), flat(scale).tensor(), type);
    Term const result = x.of(layer);
    if (hasMany(flat(scale))) {
        layer->setAxis(axis);
    }
    if (zero && !isZero(*zero)) {
        layer->setInput(2, flat(*zero).tensor());
    }
    return result;
}

} // namespace kiln::onnx
