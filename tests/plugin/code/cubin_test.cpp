// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

/// The architecture of the sample with this ABI version and these flags in its header.
std::string architectureWith(uint8_t abiVersion, uint32_t flags) {
    Bytes bytes = test::sampleCubin();
    bytes[8] = static_cast<std::byte>(abiVersion);
    std::memcpy(bytes.data() + 48, &flags, sizeof flags);
    return inspectCubin(ElfFile(bytes)).architecture;
}

TEST(Cubin, ReadsKernelsWithTheirParameters) {
    Bytes const bytes = test::sampleCubin();
    CodeInfo const info = inspectCubin(ElfFile(bytes));
    EXPECT_EQ(info.kind, CodeKind::kCubin);
    EXPECT_EQ(info.architecture, "sm_80");
    EXPECT_EQ(info.ptxVersion, 0);
    ASSERT_EQ(info.entries.size(), 1U);
    EXPECT_EQ(info.entries[0].name, "scale");
    std::vector<int64_t> sizes;
    for (CodeParameter const& parameter : info.entries[0].parameters) {
        sizes.push_back(parameter.bytes);
    }
    EXPECT_THAT(sizes, testing::ElementsAre(8, 4, 4, 8));
}

TEST(Cubin, ReadsTheArchitectureOfBothAbis) {
    EXPECT_EQ(architectureWith(7, 0x34055a), "sm_90");
    EXPECT_EQ(architectureWith(7, 0x340d5a), "sm_90a");
    EXPECT_EQ(architectureWith(8, 0x6006402), "sm_100");
    EXPECT_EQ(architectureWith(8, 0x600670a), "sm_103a");
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [] { architectureWith(7, 0); }),
                HasSubstr("expected a cubin that tells its architecture, got flags 0x0"));
}

TEST(Cubin, AGapInTheParametersIsDamage) {
    Bytes bytes = test::sampleCubin();
    // The attribute of the last parameter: number 3, offset 16, 8 bytes.
    std::string_view const mark("\x04\x17\x0c\x00\x00\x00\x00\x00\x03\x00\x10\x00", 12);
    std::size_t const at = textOf(ByteView(bytes)).find(mark);
    ASSERT_NE(at, std::string_view::npos);
    bytes[at + 8] = std::byte{5};
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { inspectCubin(ElfFile(bytes)); }),
                HasSubstr("kernel 'scale': expected its parameter 3 next, got parameter 5"));
}

} // namespace
} // namespace kiln::plugin
