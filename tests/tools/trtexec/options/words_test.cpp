// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/words.h"

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::PreviewFeature;
using nvinfer1::TensorFormat;
using testing::ElementsAre;
using testing::HasSubstr;

uint32_t bit(TensorFormat format) {
    return 1U << static_cast<uint32_t>(format);
}

TEST(ParseIOFormats, ReadsTypesAndFormats) {
    auto const formats = parseIOFormats("--inputIOFormats", "fp32:chw,int8:chw4+chw32");
    ASSERT_EQ(formats.size(), 2U);
    EXPECT_EQ(formats[0].type, DataType::kFLOAT);
    EXPECT_EQ(formats[0].formats, bit(TensorFormat::kLINEAR));
    EXPECT_EQ(formats[1].type, DataType::kINT8);
    EXPECT_EQ(formats[1].formats, bit(TensorFormat::kCHW4) | bit(TensorFormat::kCHW32));
}

TEST(ParseIOFormats, RefusesTheRest) {
    auto const refusal = [](char const* text) {
        return failureText([&] { parseIOFormats("--inputIOFormats", text); });
    };
    EXPECT_EQ(refusal("fp32"),
              "[options] --inputIOFormats: expected TYPE:FORMAT such as fp32:chw, got 'fp32'");
    EXPECT_THAT(refusal("fp31:chw"), HasSubstr("expected one of fp32, fp16, bf16"));
    EXPECT_THAT(refusal("fp32:chwn"), HasSubstr("expected one of chw, chw2, hwc8"));
    EXPECT_THAT(refusal("fp32:chw+"), HasSubstr("got nothing in one place"));
    EXPECT_THAT(refusal(""), HasSubstr("got nothing in one place"));
}

TEST(ParsePreviewFeatures, ReadsSigns) {
    auto const features =
        parsePreviewFeatures("--preview", "+aliasedPluginIO1003,-profileSharing0806");
    EXPECT_TRUE(features.at(PreviewFeature::kALIASED_PLUGIN_IO_10_03));
    EXPECT_FALSE(features.at(PreviewFeature::kPROFILE_SHARING_0806));
    EXPECT_EQ(failureText([] { parsePreviewFeatures("--preview", "profileSharing0806"); }),
              "[options] --preview: expected + or - before each feature, got "
              "'profileSharing0806'");
    EXPECT_THAT(failureText([] { parsePreviewFeatures("--preview", "+x"); }),
                HasSubstr("expected one of profileSharing0806"));
}

TEST(ParseTempfileControls, StartsWithBothAllowed) {
    EXPECT_EQ(parseTempfileControls("--tempfileControls", "temporary:deny"), 1U);
    EXPECT_EQ(parseTempfileControls("--tempfileControls", "in_memory:deny"), 2U);
    EXPECT_EQ(parseTempfileControls("--tempfileControls", "in_memory:allow,temporary:deny"), 1U);
    EXPECT_THAT(failureText([] { parseTempfileControls("--tempfileControls", "temporary:maybe"); }),
                HasSubstr("expected one of allow, deny, got 'maybe'"));
}

TEST(ParseWords, ReadsTheOthers) {
    EXPECT_EQ(parseVerbosity("--profilingVerbosity", "detailed"),
              nvinfer1::ProfilingVerbosity::kDETAILED);
    EXPECT_EQ(parseAllocation("--allocationStrategy", "runtime"),
              nvinfer1::ExecutionContextAllocationStrategy::kUSER_MANAGED);
    EXPECT_THAT(parseDebugFormats("--saveAllDebugTensors", "raw,summary"),
                ElementsAre("raw", "summary"));
    EXPECT_THAT(failureText([] { parseDebugFormats("--saveAllDebugTensors", "text"); }),
                HasSubstr("expected one of summary, numpy, string, raw, got 'text'"));
}

} // namespace
} // namespace kiln::trtexec
