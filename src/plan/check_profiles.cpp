// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

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
    auto const index = static_cast<std::size_t>(range.tensor);
    if (range.tensor < 0 || index >= document.tensors.size() ||
        document.tensors[index].role != TensorRole::kInput) {
        fail(kind,
             "[plan] profile {}: expected the number of an input tensor, got {}. Build the plan "
             "again.",
             profile, range.tensor);
    }
    TensorRecord const& tensor = document.tensors[index];
    Dims const fixed = constantDims(document, tensor);
    uint64_t bytes = 0;
    if (!isOrdered(range, fixed) || !linearBytes(tensor.type.type, range.max, bytes)) {
        fail(kind,
             "[plan] profile {}, input '{}': expected min <= opt <= max for shape {}, got {}, {}, "
             "{}. Build the plan again.",
             profile, tensor.name, toText(fixed), toText(range.min), toText(range.opt),
             toText(range.max));
    }
}

} // namespace

void checkProfiles(Document const& document, ErrorKind kind) {
    std::set<int32_t> dynamic;
    for (std::size_t i = 0; i < document.tensors.size(); ++i) {
        TensorRecord const& tensor = document.tensors[i];
        if (tensor.role == TensorRole::kInput && isDynamic(constantDims(document, tensor))) {
            dynamic.insert(static_cast<int32_t>(i));
        }
    }
    if (!dynamic.empty() && document.profiles.empty()) {
        fail(kind,
             "[plan] expected a profile for {} dynamic inputs, got none. Build the plan "
             "again.",
             dynamic.size());
    }
    for (std::size_t i = 0; i < document.profiles.size(); ++i) {
        std::set<int32_t> missing = dynamic;
        std::set<int32_t> seen;
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
                 i, document.tensors[static_cast<std::size_t>(*missing.begin())].name);
        }
    }
}

} // namespace kiln::plan
