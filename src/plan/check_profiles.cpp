// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/tensor_layout.h"
#include "plan/check.h"

namespace kiln::plan {
namespace {

bool isDynamic(Dims const& dims) {
    return std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; });
}

bool isOrdered(ProfileRange const& range, Dims const& fixed) {
    if (range.min.nbDims != fixed.nbDims || range.opt.nbDims != fixed.nbDims ||
        range.max.nbDims != fixed.nbDims) {
        return false;
    }
    for (int32_t i = 0; i < fixed.nbDims; ++i) {
        int64_t const low = range.min.d[i];
        int64_t const high = range.max.d[i];
        bool const allowed = fixed.d[i] < 0 || (low == fixed.d[i] && high == fixed.d[i]);
        if (!allowed || low < 0 || low > range.opt.d[i] || range.opt.d[i] > high) {
            return false;
        }
    }
    return true;
}

void checkRange(Document const& document, std::size_t profile, ProfileRange const& range,
                ErrorKind kind) {
    if (!document.tensors.has(range.tensor) ||
        document.tensors[range.tensor].role != TensorRole::kInput) {
        fail(kind,
             "[plan] profile {}: expected the number of an input tensor, got {}. Build the plan "
             "again.",
             profile, range.tensor);
    }
    TensorRecord const& tensor = document.tensors[range.tensor];
    Dims const fixed = constantDims(document, tensor);
    uint64_t bytes = 0;
    if (!isOrdered(range, fixed) ||
        !storageBytes(tensor.type.type, tensor.type.format, range.max, bytes)) {
        fail(kind,
             "[plan] profile {}, input '{}': expected min <= opt <= max for shape {}, got {}, {}, "
             "{}. Build the plan again.",
             profile, tensor.name, toText(fixed), toText(range.min), toText(range.opt),
             toText(range.max));
    }
}

void checkValueRange(Document const& document, std::size_t profile, ValueRange const& range,
                     ErrorKind kind) {
    bool sound = document.tensors.has(range.tensor) &&
                 document.tensors[range.tensor].role == TensorRole::kInput;
    uint64_t count = 0;
    if (sound) {
        Dims const dims = constantDims(document, document.tensors[range.tensor]);
        sound = linearBytes(DataType::kINT8, dims, count) && range.min.size() == count &&
                range.opt.size() == count && range.max.size() == count;
    }
    for (std::size_t i = 0; sound && i < count; ++i) {
        sound = range.min[i] <= range.opt[i] && range.opt[i] <= range.max[i];
    }
    if (!sound) {
        fail(kind,
             "[plan] profile {}, values of tensor {}: expected min <= opt <= max for each element "
             "of an input of constant shape, got {}, {} and {} values. Build the plan again.",
             profile, range.tensor, range.min.size(), range.opt.size(), range.max.size());
    }
}

/// The inputs whose values are used in expressions.
std::set<TensorId> valueInputs(Document const& document) {
    std::set<int32_t> numbers;
    for (graph::ExprNode const& node : document.exprs) {
        if (node.op == graph::ExprOp::kShapeValue) {
            numbers.insert(node.a);
        }
    }
    std::set<TensorId> tensors;
    for (TensorId const i : document.tensors.ids()) {
        if (numbers.count(document.tensors[i].inputIndex) != 0) {
            tensors.insert(i);
        }
    }
    return tensors;
}

void checkValueRanges(Document const& document, std::size_t profile, std::set<TensorId> missing,
                      ErrorKind kind) {
    for (ValueRange const& range : document.profiles[profile].values) {
        checkValueRange(document, profile, range, kind);
        missing.erase(range.tensor);
    }
    if (!missing.empty()) {
        fail(kind,
             "[plan] profile {}: expected values for each shape input, got none for '{}'. Build "
             "the plan again.",
             profile, document.tensors[*missing.begin()].name);
    }
}

} // namespace

void checkProfiles(Document const& document, ErrorKind kind) {
    std::set<TensorId> dynamic;
    for (TensorId const i : document.tensors.ids()) {
        TensorRecord const& tensor = document.tensors[i];
        if (tensor.role == TensorRole::kInput && isDynamic(constantDims(document, tensor))) {
            dynamic.insert(i);
        }
    }
    if (document.profiles.size() > kMostProfiles) {
        fail(kind, "[plan] expected at most {} profiles, got {}. Build the plan again.",
             kMostProfiles, document.profiles.size());
    }
    std::set<TensorId> const byValue = valueInputs(document);
    if (document.profiles.empty() && !(dynamic.empty() && byValue.empty())) {
        fail(kind,
             "[plan] expected a profile for {} dynamic inputs and {} shape inputs, got none. Build "
             "the plan again.",
             dynamic.size(), byValue.size());
    }
    for (std::size_t i = 0; i < document.profiles.size(); ++i) {
        checkValueRanges(document, i, byValue, kind);
        std::set<TensorId> missing = dynamic;
        std::set<TensorId> seen;
        for (ProfileRange const& range : document.profiles[i].ranges) {
            checkRange(document, i, range, kind);
            missing.erase(range.tensor);
            if (!seen.insert(range.tensor).second) {
                fail(kind,
                     "[plan] profile {}: expected one range for each input, got two for tensor {}. "
                     "Build the plan again.",
                     i, range.tensor);
            }
        }
        if (!missing.empty()) {
            fail(kind,
                 "[plan] profile {}: expected a range for each dynamic input, got none for '{}'. "
                 "Build the plan again.",
                 i, document.tensors[*missing.begin()].name);
        }
    }
}

} // namespace kiln::plan
