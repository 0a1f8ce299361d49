// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Tensors in a layout of the target's own.
#include <gmock/gmock.h>

#include "base/error.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"
#include "plan/writer.h"

namespace kiln::plan::testing {
namespace {

using ::testing::HasSubstr;

/// The document with one more tensor, [batch, 3, 8], whose channels are padded to 4.
Document documentWithLayout() {
    Document document = richDocument();
    TensorRecord padded;
    padded.name = "padded";
    padded.type = {DataType::kHALF, TensorFormat::kHWC, 9};
    padded.shape.rank = 3;
    padded.shape.extent = {2, 0, 1};
    padded.layout = target::Layout{9, "hwc padded to 4", TensorFormat::kHWC, {3, true, 4}};
    StepRecord step;
    step.name = "pad x";
    step.inputs = {0};
    step.outputs = {TensorId(document.tensors.size())};
    step.kernel = {"reformat", "Reformat", {}, {}, {document.tensors[0].type}, {padded.type}};
    document.tensors.push_back(padded);
    document.steps.push_back(step);
    return document;
}

std::string problem(void (*change)(TensorRecord& padded)) {
    Document document = documentWithLayout();
    change(document.tensors.back());
    try {
        write(std::move(document));
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

TEST(PlanLayout, IsWrittenAndRead) {
    Bytes const plan = write(documentWithLayout());
    Document read = plan::read(plan);
    TensorRecord const& padded = read.tensors.back();
    EXPECT_EQ(padded.layout, documentWithLayout().tensors.back().layout);
    EXPECT_EQ(padded.formatName(), "hwc padded to 4");
    EXPECT_EQ(padded.bytesAt(makeDims({2, 3, 8})), 4U * 3 * 8 * 2); // 2 channels
    EXPECT_FALSE(read.tensors[0].layout.has_value());
}

TEST(PlanLayout, IsChecked) {
    EXPECT_THAT(problem([](TensorRecord& padded) { padded.layout.reset(); }),
                HasSubstr("expected a layout for each internal tensor with a tag"));
    EXPECT_THAT(problem([](TensorRecord& padded) { padded.type.tag = 0; }),
                HasSubstr("got tag 0 and a layout"));
    EXPECT_THAT(problem([](TensorRecord& padded) { padded.type.tag = 8; }),
                HasSubstr("expected the tag and format of its layout"));
    EXPECT_THAT(problem([](TensorRecord& padded) { padded.debug = true; }),
                HasSubstr("not to be shown to debug listeners"));
    EXPECT_THAT(problem([](TensorRecord& padded) { padded.layout->traits.vector = 0; }),
                HasSubstr("expected vectors of 1 to 1024 channels"));
    EXPECT_THAT(problem([](TensorRecord& padded) { padded.layout->traits.channelsFromEnd = 4; }),
                HasSubstr("an axis of channels"));
}

} // namespace
} // namespace kiln::plan::testing
