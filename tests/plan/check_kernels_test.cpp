// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Steps whose kernel differs by profile.
#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "plan/attack.h"
#include "plan/encode.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"
#include "plan/writer.h"

namespace kiln::plan::testing {
namespace {

using ::testing::HasSubstr;

/// The rich document, with another kernel for the convolution in the second profile, which reads
/// the weights (tensor 3) in an order of its own (tensor 12).
Document twoKernels() {
    Document document = richDocument();
    TensorRecord packed = document.tensors[3];
    packed.name = "w in another order";
    packed.type.tag = 5;
    static Bytes const bytes(100, std::byte{7});
    packed.data = bytes;
    StepRecord& conv = document.steps[1];
    OtherKernel other{conv.kernel, conv.inputs};
    other.kernel.kernel = "conv_small";
    other.kernel.code = {std::byte{1}, std::byte{2}};
    other.inputs[1] = document.tensors.add(packed);
    other.kernel.inputs[1] = packed.type;
    conv.otherKernels = {other};
    conv.profileKernels = {0, 1};
    return document;
}

TEST(PlanKernels, DifferByProfile) {
    Document const document = twoKernels();
    Bytes const plan = write(document);
    Document const back = read(plan);
    EXPECT_EQ(describe(back), describe(document));
    EXPECT_EQ(write(read(plan)), plan);
    StepRecord const& conv = back.steps[1];
    EXPECT_EQ(conv.kernelAt(conv.kernelFor(0)).kernel, "conv_fast");
    EXPECT_EQ(conv.kernelAt(conv.kernelFor(1)).kernel, "conv_small");
    EXPECT_TRUE(conv.inputsAt(1)[1] == 12);
    EXPECT_EQ(conv.kernelAt(1).inputs[1].tag, 5);
}

StepRecord& conv(Document& document) {
    return document.steps[1];
}

char const* const kByProfile = "expected the number of a kernel for each of 2 profiles";
char const* const kOther = "kernel 'conv_small' of another profile: expected the operation";

Attack const kAttacks[] = {
    {"TooFewNumbers", [](Document& d) { conv(d).profileKernels.pop_back(); },
     "got 1 numbers for 2 kernels"},
    {"TooManyNumbers", [](Document& d) { conv(d).profileKernels.push_back(1); },
     "got 3 numbers for 2 kernels"},
    {"NoNumbers", [](Document& d) { conv(d).profileKernels.clear(); }, kByProfile},
    {"NumbersWithoutKernels", [](Document& d) { conv(d).otherKernels.clear(); }, kByProfile},
    {"NumberBehindTheEnd", [](Document& d) { conv(d).profileKernels[1] = 2; }, kByProfile},
    {"NegativeNumber", [](Document& d) { conv(d).profileKernels[1] = -1; }, kByProfile},
    {"AnotherForTheFirst", [](Document& d) { conv(d).profileKernels = {1, 0}; }, kByProfile},
    {"KernelWithoutProfile", [](Document& d) { conv(d).profileKernels = {0, 0}; }, kByProfile},
    {"KernelsOfAPlugin",
     [](Document& d) {
         d.steps[2].otherKernels = conv(d).otherKernels;
         d.steps[2].otherKernels[0].kernel.code.clear();
         d.steps[2].profileKernels = conv(d).profileKernels;
     },
     kByProfile},
    {"NumbersOfAPlugin", [](Document& d) { d.steps[2].profileKernels = {0, 0}; }, kByProfile},
    {"NoProfiles",
     [](Document& d) {
         d = smallDocument();
         d.steps[0].otherKernels = {{d.steps[0].kernel, d.steps[0].inputs}};
     },
     "for each of 0 profiles"},
    {"NoName", [](Document& d) { conv(d).otherKernels[0].kernel.kernel.clear(); },
     "kernel '' of another profile"},
    {"AnotherOperation", [](Document& d) { conv(d).otherKernels[0].kernel.op = "SoftMax"; },
     kOther},
    {"OtherParameters", [](Document& d) { conv(d).otherKernels[0].kernel.parameters.pop_back(); },
     kOther},
    {"TooFewInputs", [](Document& d) { conv(d).otherKernels[0].inputs.pop_back(); }, kOther},
    {"AnInputIsAnother", [](Document& d) { conv(d).otherKernels[0].inputs[0] = 0; }, kOther},
    {"AConstantOfAnotherShape", [](Document& d) { conv(d).otherKernels[0].inputs[1] = 4; }, kOther},
    {"AConstantOfAnotherType",
     [](Document& d) {
         d.tensors[12].type.type = DataType::kINT32;
         d.tensors[12].weight = WeightId();
     },
     kOther},
    {"NotAConstant", [](Document& d) { conv(d).otherKernels[0].inputs[1] = 8; }, kOther},
    {"BehindTheTensors", [](Document& d) { conv(d).otherKernels[0].inputs[1] = 13; }, kOther},
    {"AbsentInputs", [](Document& d) { conv(d).otherKernels[0].inputs[1] = kAbsent; }, kOther},
};

class PlanKernelAttack : public ::testing::TestWithParam<Attack> {};

TEST_P(PlanKernelAttack, IsRefused) {
    Document document = twoKernels();
    GetParam().change(document);
    Bytes const plan = assemble(document);
    EXPECT_THAT(test::errorOf(ErrorKind::kCorruptData, [&] { read(plan); }),
                HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(All, PlanKernelAttack, ::testing::ValuesIn(kAttacks), kNameOf);

} // namespace
} // namespace kiln::plan::testing
