// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/weight_overflow.h"

#include <algorithm>
#include <cstring>

namespace kiln::runtime {
namespace {

template <typename Word>
std::size_t count(ByteView elements, Word exponent) {
    std::size_t found = 0;
    for (std::size_t at = 0; at + sizeof(Word) <= elements.size(); at += sizeof(Word)) {
        Word bits = 0;
        std::memcpy(&bits, elements.data() + at, sizeof(Word));
        found += static_cast<std::size_t>((bits & exponent) == exponent);
    }
    return found;
}

/// Elements that are infinite or NaN, which have all bits of the exponent. 0 for other types.
std::size_t notFinite(ByteView elements, DataType type) {
    switch (type) {
    case DataType::kFLOAT: return count<uint32_t>(elements, 0x7f800000U);
    case DataType::kHALF: return count<uint16_t>(elements, 0x7c00U);
    case DataType::kBF16: return count<uint16_t>(elements, 0x7f80U);
    default: return 0;
    }
}

} // namespace

void warnOfOverflow(plan::Document const& document, std::span<NewWeights const> weights,
                    std::span<NewConstant const> constants, Log const& log) {
    if (std::any_of(weights.begin(), weights.end(),
                    [](NewWeights const& own) { return notFinite(own.elements, own.type) > 0; })) {
        return;
    }
    for (NewConstant const& own : constants) {
        plan::TensorRecord const& tensor = document.tensors[own.tensor];
        if (std::size_t const found = notFinite(own.elements.view, tensor.type.type); found > 0) {
            log.warning("[refit] constant '{}': expected finite elements of {}, got {} that are "
                        "not, from weights that are. Scale the weights, or build the engine with "
                        "a larger type.",
                        tensor.name, nameOf(tensor.type.type), found);
        }
    }
}

} // namespace kiln::runtime
