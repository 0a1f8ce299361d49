// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/narrow_order.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

Bytes bytesOf(std::initializer_list<int> numbers) {
    Bytes bytes;
    for (int const number : numbers) {
        bytes.push_back(static_cast<std::byte>(number));
    }
    return bytes;
}

TEST(NarrowOrder, PutsTermsOfAColumnTogether) {
    NarrowOrder const order{2, 3, 8};
    Bytes const weights = bytesOf({1, 2, 3, 4, 5, 6}); // [terms, columns]
    Bytes const packed = packNarrow(order, weights, true);
    ASSERT_EQ(packed.size(), 128U); // a step of 64 terms for each column
    EXPECT_EQ(Bytes(packed.begin(), packed.begin() + 4), bytesOf({1, 3, 5, 0}));
    EXPECT_EQ(Bytes(packed.begin() + 64, packed.begin() + 68), bytesOf({2, 4, 6, 0}));
    EXPECT_EQ(packNarrow(order, bytesOf({1, 3, 5, 2, 4, 6}), false), packed);
}

TEST(NarrowOrder, PacksFourBits) {
    NarrowOrder const order{2, 3, 4};
    Bytes const weights = bytesOf({0x21, 0x43, 0x65}); // 1 2, 3 4, 5 6
    Bytes const packed = packNarrow(order, weights, true);
    ASSERT_EQ(packed.size(), 128U);
    EXPECT_EQ(Bytes(packed.begin(), packed.begin() + 2), bytesOf({0x31, 0x05}));
    EXPECT_EQ(Bytes(packed.begin() + 64, packed.begin() + 66), bytesOf({0x42, 0x06}));
}

TEST(NarrowOrder, RefusesOtherSizes) {
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [] { packNarrow({2, 3, 8}, bytesOf({1, 2}), true); }),
        HasSubstr("[plan] narrow weights: expected 6 bytes, got 2."));
}

} // namespace
} // namespace kiln::targets::cuda
