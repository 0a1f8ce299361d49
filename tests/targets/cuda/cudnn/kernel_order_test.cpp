// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/kernel_order.h"

#include <cstring>

#include <gmock/gmock.h>

#include "base/error_matchers.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(KernelOrder, ChannelsGoLastAndArePadded) {
    // [2 maps, 2 channels, 1 x 3]
    uint16_t const weights[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    Bytes const ordered =
        kernelWithChannelsLast({reinterpret_cast<std::byte const*>(weights), sizeof(weights)},
                               makeDims({2, 2, 1, 3}), 2, 3);
    std::vector<uint16_t> got(ordered.size() / 2);
    std::memcpy(got.data(), ordered.data(), ordered.size());
    EXPECT_THAT(got, ElementsAre(1, 4, 0, 2, 5, 0, 3, 6, 0, 7, 10, 0, 8, 11, 0, 9, 12, 0));
}

TEST(KernelOrder, OtherBytesAreRefused) {
    Bytes const weights(10);
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData,
                        [&] { kernelWithChannelsLast(weights, makeDims({2, 2, 1, 3}), 2, 2); }),
                HasSubstr("[plan] kernel weights: expected 12 elements of 2 bytes, got 10 bytes"));
}

} // namespace
} // namespace kiln::targets::cuda
