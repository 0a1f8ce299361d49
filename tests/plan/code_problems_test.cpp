// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/code_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/code/code_samples.h"

namespace kiln::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A plugin compiled to the sample kernel for sm_80, in the second of two steps.
Document document(int32_t nullPointers = 0) {
    plugin::AotKernel kernel;
    kernel.entry = "scale";
    kernel.scalars = {{ScalarType::kInt32, 0, 0.0}, {ScalarType::kFloat32, -1, 1.0}};
    kernel.nullPointers = nullPointers;
    kernel.images = {{CodeKind::kCubin, "sm_80", 0, test::sampleCubin()}};
    plugin::PluginRecord record;
    record.layer = "half";
    record.id = {"scale", "1", "sample"};
    record.style = plugin::PluginStyle::kQuickAot;
    record.code = {{"cuda", "sm_80", {kernel}}};
    StepRecord plain;
    StepRecord step;
    step.plugin = 0;
    step.inputs = {0};
    step.outputs = {1};
    Document result;
    result.plugins = {record};
    result.steps = {plain, step};
    return result;
}

TEST(CodeProblems, NoneInSoundCode) {
    EXPECT_THAT(codeProblems(document()), IsEmpty());
    EXPECT_THAT(codeProblems({}), IsEmpty());
}

TEST(CodeProblems, CodeThatDoesNotFitItsRecord) {
    Document given = document();
    given.plugins[0].code[0].kernels[0].scalars.pop_back();
    EXPECT_THAT(codeProblems(given),
                ElementsAre(HasSubstr("[plan] layer 'half', plugin sample::scale (version 1), code "
                                      "for sm_80: kernel 'scale', parameter 2: expected the "
                                      "address")));
    given.plugins[0].code[0].architecture = "sm_90";
    EXPECT_THAT(codeProblems(given), ElementsAre(HasSubstr("expected code that runs on sm_90")));
}

TEST(CodeProblems, NullPointersThatTheCodeDoesNotTake) {
    EXPECT_THAT(codeProblems(document(2)),
                ElementsAre(HasSubstr("kernel 'scale': expected 2 null pointers as the plan says, "
                                      "the code wants 0")));
}

} // namespace
} // namespace kiln::plan
