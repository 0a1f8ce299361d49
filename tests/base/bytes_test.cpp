// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

TEST(Bytes, WhatIsWrittenIsRead) {
    ByteWriter writer;
    writer.put(int32_t{-7});
    writer.putText("kernel");
    writer.put(2.5F);
    Bytes const bytes = writer.take();
    ByteReader reader(bytes, "test");
    EXPECT_EQ(reader.get<int32_t>(), -7);
    EXPECT_EQ(reader.getText(), "kernel");
    EXPECT_EQ(reader.get<float>(), 2.5F);
    reader.finish();
}

TEST(Bytes, EveryCutIsAnError) {
    ByteWriter writer;
    writer.putText("kernel");
    writer.put(int64_t{1});
    Bytes const bytes = writer.take();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        ByteReader reader(ByteView(bytes).first(length), "the cut");
        EXPECT_THAT(errorOf(ErrorKind::kCorruptData,
                            [&] {
                                reader.getText();
                                reader.get<int64_t>();
                            }),
                    HasSubstr("the cut: expected"));
    }
}

TEST(Bytes, ALengthBeyondTheEndAllocatesNothing) {
    ByteWriter writer;
    writer.put(uint32_t{0xFFFFFFFF});
    Bytes const bytes = writer.take();
    ByteReader reader(bytes, "test");
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { reader.getText(); }),
                HasSubstr("expected 4294967295 more bytes at offset 4, got 0"));
}

TEST(Bytes, BytesLeftOverAreAnError) {
    ByteWriter writer;
    writer.put(int32_t{1});
    Bytes const bytes = writer.take();
    ByteReader reader(bytes, "test");
    reader.get<int16_t>();
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { reader.finish(); }),
                HasSubstr("expected 2 bytes, got 4"));
}

} // namespace
} // namespace kiln::test
