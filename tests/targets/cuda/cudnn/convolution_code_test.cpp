// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_code.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

TEST(ConvolutionCode, KeepsTheEngine) {
    ConvolutionCode code;
    code.workspace = 4096;
    code.packs = true;
    code.version = 91002;
    code.helper = Bytes(3, std::byte{7});
    EXPECT_FALSE(ConvolutionCode::load(code.save()).engine.has_value());
    code.engine = EngineChoice{5, {{7, 12}, {9, -1}}, 3};
    code.preparedFor = 77;
    code.prepared = Bytes(5, std::byte{9});
    ConvolutionCode const again = ConvolutionCode::load(code.save());
    EXPECT_EQ(again.workspace, 4096U);
    EXPECT_TRUE(again.packs);
    EXPECT_EQ(again.preparedFor, 77U);
    EXPECT_EQ(again.prepared, code.prepared);
    EXPECT_EQ(again.version, 91002U);
    EXPECT_EQ(again.helper, code.helper);
    ASSERT_TRUE(again.engine.has_value());
    EXPECT_EQ(again.engine->engine, 5);
    EXPECT_EQ(again.engine->position, 3);
    ASSERT_EQ(again.engine->knobs.size(), 2U);
    EXPECT_EQ(again.engine->knobs[1].type, 9);
    EXPECT_EQ(again.engine->knobs[1].value, -1);
}

TEST(ConvolutionCode, RefusesForgedBytes) {
    ByteWriter writer;
    writer.put<uint64_t>(1);
    writer.put<uint8_t>(1);
    writer.put<uint64_t>(0);
    writer.put<uint8_t>(1);
    writer.put<int64_t>(0);
    writer.put<int32_t>(0);
    writer.put<uint32_t>(1000000);
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { ConvolutionCode::load(writer.take()); }),
                HasSubstr("expected at most 256 settings, got 1000000"));
    EXPECT_NE(errorOf(ErrorKind::kCorruptData, [] { ConvolutionCode::load({}); }), "");
}

} // namespace
} // namespace kiln::targets::cuda
