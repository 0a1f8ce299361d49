// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments that no correct program passes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <NvInfer.h>

namespace kiln::test {

inline constexpr std::array<int32_t, 9> kNumbers{
    std::numeric_limits<int32_t>::min(), -2, -1, 0, 1, 2, 31, 77,
    std::numeric_limits<int32_t>::max()};

inline constexpr std::array<int64_t, 6> kLongNumbers{
    std::numeric_limits<int64_t>::min(), -1, 0, 1, int64_t{1} << 40,
    std::numeric_limits<int64_t>::max()};

inline constexpr std::array<char const*, 5> kTexts{
    nullptr, "", "nobody", "\xff\xfe", "a text that is longer than what a string keeps in itself"};

/// Calls body() with each number.
template <typename Body>
void forNumbers(Body&& body) {
    for (int32_t const number : kNumbers) {
        body(number);
    }
}
template <typename Body>
void forLongNumbers(Body&& body) {
    for (int64_t const number : kLongNumbers) {
        body(number);
    }
}
template <typename Body>
void forTexts(Body&& body) {
    for (char const* text : kTexts) {
        body(text);
    }
}
/// Calls body() with members of an enumeration, and with values that are none.
template <typename Enum, typename Body>
void forEnum(Body&& body) {
    forNumbers([&](int32_t number) { body(static_cast<Enum>(number)); });
}
/// Calls body() with all sorts of ranks and extents.
template <typename Body>
void forDims(Body&& body) {
    for (int32_t const rank : {-1, 0, 1, 2, 3, 4, 8, 9, 99, std::numeric_limits<int32_t>::max()}) {
        for (int64_t const extent : kLongNumbers) {
            nvinfer1::Dims dims{};
            dims.nbDims = rank;
            for (int64_t& one : dims.d) {
                one = extent;
            }
            body(dims);
        }
    }
}

} // namespace kiln::test
