// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/contraction.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/reduce.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::graph {
namespace {

using nvinfer1::ElementWiseOperation;
using nvinfer1::MatrixOperation;
using Names = std::vector<int32_t>;

bool contains(Names const& names, int32_t name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names that a test holds for, in order.
template <typename Test>
Names filtered(Names const& names, Test&& test) {
    Names result;
    std::copy_if(names.begin(), names.end(), std::back_inserter(result), test);
    return result;
}

Names joined(std::initializer_list<Names> lists) {
    Names result;
    for (Names const& list : lists) {
        result.insert(result.end(), list.begin(), list.end());
    }
    return result;
}

} // namespace

bool NamedValue::has(int32_t name) const {
    return contains(axes, name);
}

int32_t NamedValue::axisOf(int32_t name) const {
    return static_cast<int32_t>(std::find(axes.begin(), axes.end(), name) - axes.begin());
}

NamedValue Contraction::diagonal(NamedValue value) {
    for (std::size_t first = 0; first < value.axes.size(); ++first) {
        int32_t const name = value.axes[first];
        while (std::count(value.axes.begin(), value.axes.end(), name) > 1) {
            auto const second = static_cast<std::size_t>(
                std::find(value.axes.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                          value.axes.end(), name) -
                value.axes.begin());
            value = diagonal(value, first, second);
            first = 0;
        }
    }
    return value;
}

/// Two axes of extent n become one of n * n, of which every (n + 1)th element stays.
NamedValue Contraction::diagonal(NamedValue const& value, std::size_t first, std::size_t second) {
    Names order;
    NamedValue result;
    for (std::size_t axis = 0; axis < value.axes.size(); ++axis) {
        if (axis != first && axis != second) {
            order.push_back(static_cast<int32_t>(axis));
            result.axes.push_back(value.axes[axis]);
        }
    }
    auto const last = static_cast<int32_t>(order.size());
    order.push_back(static_cast<int32_t>(first));
    order.push_back(static_cast<int32_t>(second));
    result.axes.push_back(value.axes[first]);
    int32_t const square = parts_.transpose(value.value, order);
    Extents extents;
    for (int32_t axis = 0; axis < last; ++axis) {
        extents.push_back({{square, axis}});
    }
    extents.push_back({{square, last}, {square, last + 1}});
    Slice slice;
    slice.axes = Dims{1, {last}};
    slice.start = Dims{1, {0}};
    slice.size = Dims{1, {0}};
    slice.stride = Dims{1, {1}};
    int32_t const flat = reshape(square, extents);
    int64_t const known = knownExtent({square, last});
    if (known >= 0) {
        slice.size.d[0] = known;
        slice.stride.d[0] = known + 1;
        result.value = parts_.add(slice, {flat});
        return result;
    }
    Parts::Extent const side = Parts::Extent::ofAxis(last);
    int32_t const size = parts_.extents(square, {&side, 1});
    int32_t const stride = parts_.elementWise(ElementWiseOperation::kSUM, size,
                                              parts_.range(1, 0, 1, DataType::kINT64));
    result.value = parts_.add(slice, {flat, Region::kAbsent, size, stride});
    return result;
}

NamedValue Contraction::sum(NamedValue const& value, Names const& kept) {
    Reduce reduce;
    NamedValue result;
    for (std::size_t axis = 0; axis < value.axes.size(); ++axis) {
        if (contains(kept, value.axes[axis])) {
            result.axes.push_back(value.axes[axis]);
        } else {
            reduce.axes |= 1U << axis;
        }
    }
    if (reduce.axes == 0) {
        return value;
    }
    result.value = parts_.add(reduce, {value.value});
    return result;
}

NamedValue Contraction::ordered(NamedValue const& value, Names const& axes) {
    if (value.axes == axes) {
        return value;
    }
    Names order;
    for (int32_t const name : axes) {
        order.push_back(value.axisOf(name));
    }
    return {parts_.transpose(value.value, order), axes};
}

int64_t Contraction::knownExtent(Source const& source) const {
    return pool_.constantOr(parts_.facts(source.value).shape[source.axis]);
}

int32_t Contraction::extentsTensor(Extents const& extents) {
    std::vector<int32_t> entries;
    for (std::vector<Source> const& factors : extents) {
        int32_t product = -1;
        for (Source const& source : factors) {
            Parts::Extent const extent = Parts::Extent::ofAxis(source.axis);
            int32_t const factor = parts_.extents(source.value, {&extent, 1});
            product = product < 0
                          ? factor
                          : parts_.elementWise(ElementWiseOperation::kPROD, product, factor);
        }
        entries.push_back(product < 0 ? parts_.range(1, 0, 1, DataType::kINT64) : product);
    }
    if (entries.size() == 1) {
        return entries.front();
    }
    Concatenation op;
    op.axis = 0;
    return entries.empty() ? parts_.range(0, 0, 0, DataType::kINT64) : parts_.add(op, entries);
}

int32_t Contraction::reshape(int32_t value, Extents const& extents) {
    Shuffle op;
    op.zeroIsPlaceholder = false;
    op.reshape.nbDims = static_cast<int32_t>(extents.size());
    bool known = true;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        int64_t product = 1;
        for (Source const& source : extents[i]) {
            int64_t const extent = knownExtent(source);
            known = known && extent >= 0;
            product = extent < 0 ? 1 : checkedMul(product, extent, "einsum");
        }
        op.reshape.d[i] = product;
    }
    if (known) {
        return parts_.add(op, {value});
    }
    op.reshape.nbDims = -1;
    return parts_.add(op, {value, extentsTensor(extents)});
}

bool Contraction::isOne(NamedValue const& value, int32_t name) const {
    return knownExtent({value.value, value.axisOf(name)}) == 1;
}

void Contraction::sumBroadcasts(NamedValue& one, NamedValue& other, Names const& kept) {
    Names const dropped = filtered(one.axes, [&](int32_t name) {
        return other.has(name) && !contains(kept, name) && isOne(one, name) && !isOne(other, name);
    });
    auto const stays = [&](int32_t name) { return !contains(dropped, name); };
    one = sum(one, filtered(one.axes, stays)); // of single elements
    other = sum(other, filtered(other.axes, stays));
}

NamedValue Contraction::multiply(NamedValue left, NamedValue right, Names const& kept) {
    Names const ofLeft = left.axes;
    Names const ofRight = right.axes;
    left = sum(left, joined({kept, ofRight}));
    right = sum(right, joined({kept, ofLeft}));
    sumBroadcasts(left, right, kept);
    sumBroadcasts(right, left, kept);
    bool const sums = std::any_of(left.axes.begin(), left.axes.end(), [&](int32_t name) {
        return right.has(name) && !contains(kept, name);
    });
    if (!sums) {
        return elementwise(left, right, kept);
    }
    if (isFloating(parts_.facts(left.value).type)) {
        return matrixProduct(left, right, kept);
    }
    // Matrix products have no integers.
    Names const summed =
        filtered(left.axes, [&](int32_t name) { return right.has(name) && !contains(kept, name); });
    return sum(elementwise(left, right, joined({kept, summed})), kept);
}

NamedValue Contraction::elementwise(NamedValue const& left, NamedValue const& right,
                                    Names const& kept) {
    NamedValue result;
    result.axes = filtered(kept, [&](int32_t name) { return left.has(name) || right.has(name); });
    int32_t operands[2];
    for (int32_t side = 0; side < 2; ++side) {
        NamedValue const& value = side == 0 ? left : right;
        NamedValue const own =
            ordered(value, filtered(result.axes, [&](int32_t name) { return value.has(name); }));
        Extents extents;
        for (int32_t const name : result.axes) {
            extents.emplace_back();
            if (own.has(name)) {
                extents.back().push_back({own.value, own.axisOf(name)});
            }
        }
        operands[side] = own.axes == result.axes ? own.value : reshape(own.value, extents);
    }
    result.value = parts_.elementWise(ElementWiseOperation::kPROD, operands[0], operands[1]);
    return result;
}

Contraction::Matrix Contraction::matrixOf(NamedValue const& value, Names const& batch,
                                          Names const& own, Names const& summed) {
    bool const ownIsFirst = value.axes != joined({batch, summed, own});
    NamedValue const arranged = ownIsFirst ? ordered(value, joined({batch, own, summed})) : value;
    auto const group = [&](Names const& names) {
        std::vector<Source> sources;
        for (int32_t const name : names) {
            sources.push_back({arranged.value, arranged.axisOf(name)});
        }
        return sources;
    };
    if (own.size() <= 1 && summed.size() == 1) {
        return {arranged.value, own.empty(), ownIsFirst};
    }
    Extents extents;
    for (int32_t const name : batch) {
        extents.push_back(group({name}));
    }
    extents.push_back(group(ownIsFirst && !own.empty() ? own : summed));
    if (!own.empty()) {
        extents.push_back(group(ownIsFirst ? summed : own));
    }
    return {reshape(arranged.value, extents), own.empty(), ownIsFirst};
}

NamedValue Contraction::matrixProduct(NamedValue const& left, NamedValue const& right,
                                      Names const& kept) {
    auto const ownOf = [](NamedValue const& value, NamedValue const& other) {
        return filtered(value.axes, [&](int32_t name) { return !other.has(name); });
    };
    Names const batch =
        filtered(kept, [&](int32_t name) { return left.has(name) && right.has(name); });
    Names const ofLeft = ownOf(left, right);
    Names const ofRight = ownOf(right, left);
    // The operand whose axes come first in the result is the left one.
    if (!ofLeft.empty() && !ofRight.empty() &&
        std::find(kept.begin(), kept.end(), ofRight.front()) <
            std::find(kept.begin(), kept.end(), ofLeft.front())) {
        return matrixProduct(right, left, kept);
    }
    Names const summed =
        filtered(left.axes, [&](int32_t name) { return right.has(name) && !contains(kept, name); });
    Matrix const a = matrixOf(left, batch, ofLeft, summed);
    Matrix const b = matrixOf(right, batch, ofRight, summed);
    MatrixMultiply op;
    op.operation[0] = a.vector       ? MatrixOperation::kVECTOR
                      : a.ownIsFirst ? MatrixOperation::kNONE
                                     : MatrixOperation::kTRANSPOSE;
    op.operation[1] = b.vector       ? MatrixOperation::kVECTOR
                      : b.ownIsFirst ? MatrixOperation::kTRANSPOSE
                                     : MatrixOperation::kNONE;
    NamedValue result{parts_.add(op, {a.value, b.value}), joined({batch, ofLeft, ofRight})};
    if (ofLeft.size() <= 1 && ofRight.size() <= 1) {
        return result;
    }
    Extents extents;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        extents.push_back({{result.value, static_cast<int32_t>(i)}});
    }
    for (NamedValue const* value : {&left, &right}) {
        for (int32_t const name : value == &left ? ofLeft : ofRight) {
            extents.push_back({{value->value, value->axisOf(name)}});
        }
    }
    result.value = reshape(result.value, extents);
    return result;
}

} // namespace kiln::graph
