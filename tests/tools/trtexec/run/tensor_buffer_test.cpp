// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/tensor_buffer.h"

#include <cstdint>

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

#if defined(__SANITIZE_ADDRESS__)
// One test here provokes a failed allocation; by default the sanitizer ends the program then.
extern "C" __attribute__((visibility("default"))) char const* __asan_default_options() {
    return "allocator_may_return_null=1";
}
#endif

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;

TEST(PackedBytes, RoundsPartsOfBytesUp) {
    EXPECT_EQ(packedBytes("x", DataType::kFLOAT, Dims{2, {3, 4}}), 48U);
    EXPECT_EQ(packedBytes("x", DataType::kFLOAT, Dims{0, {}}), 4U);
    EXPECT_EQ(packedBytes("x", DataType::kINT4, Dims{1, {3}}), 2U);
    EXPECT_EQ(packedBytes("x", DataType::kHALF, Dims{2, {0, 7}}), 0U);
}

TEST(PackedBytes, RefusesNegativeAndOverflowingExtents) {
    EXPECT_EQ(failureText([] { packedBytes("x", DataType::kFLOAT, Dims{2, {2, -1}}); }),
              "[run] tensor 'x': expected extents that fit into memory, got 2x-1");
    EXPECT_NE(failureText([] { packedBytes("x", DataType::kFLOAT, Dims{2, {INT64_MAX, 8}}); }), "");
}

TEST(TensorBuffer, IsZeroedAlignedAndNeverNull) {
    TensorBuffer buffer("x", DataType::kINT32);
    buffer.resize(Dims{1, {5}});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 256, 0U);
    EXPECT_EQ(static_cast<int32_t*>(buffer.data())[4], 0);
    EXPECT_EQ(buffer.bytes(), 20U);
    TensorBuffer empty("e", DataType::kINT32);
    empty.resize(Dims{1, {0}});
    EXPECT_NE(empty.data(), nullptr);
}

TEST(TensorBuffer, GrowsAsAnOutputAllocator) {
    TensorBuffer buffer("y", DataType::kFLOAT);
    void* const memory = buffer.reallocateOutputAsync("y", nullptr, 1000, 64, nullptr);
    EXPECT_NE(memory, nullptr);
    EXPECT_EQ(buffer.reallocateOutputAsync("y", memory, 500, 64, nullptr), memory);
    EXPECT_EQ(buffer.reallocateOutputAsync("y", memory, 500, 4096, nullptr), nullptr);
    buffer.notifyShape("y", Dims{2, {3, 5}});
    EXPECT_EQ(buffer.count(), 15U);
}

TEST(TensorBuffer, NamesTheTensorWhenMemoryIsShort) {
    TensorBuffer buffer("huge", DataType::kFLOAT);
    EXPECT_THAT(failureText([&] { buffer.resize(Dims{1, {int64_t{1} << 55}}); }),
                testing::StartsWith("[run] tensor 'huge': no memory for"));
}

} // namespace
} // namespace kiln::trtexec
