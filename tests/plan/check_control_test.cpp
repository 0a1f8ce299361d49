// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans with correct hashes and contradictory loops and branches: each must be refused with the
// message of its check.
#include <gmock/gmock.h>

#include "plan/attack.h"
#include "plan/check.h"
#include "plan/encode.h"
#include "plan/plan_fixture.h"

namespace kiln::plan::testing {
namespace {

using ::testing::HasSubstr;

class PlanCheckControl : public ::testing::TestWithParam<Attack> {};

TEST_P(PlanCheckControl, Refuses) {
    Document document = controlDocument();
    GetParam().change(document);
    EXPECT_THAT(readError(assemble(document)), HasSubstr(GetParam().expected));
}

TEST(PlanCheckOfControl, AcceptsTheDocument) {
    EXPECT_EQ(readError(assemble(controlDocument())), "");
}

Body& loop(Document& d) {
    return d.steps[0].control->bodies[0];
}
Body& body(Document& d, std::size_t index) {
    return d.steps[1].control->bodies[index];
}

constexpr char const* kReads =
    "expected to read inputs, constants and outputs of earlier steps of its body or among the "
    "body's inputs";

Attack const kAttacks[] = {
    {"UnknownKind", [](Document& d) { d.steps[0].control->kind = ControlKind{3}; },
     "[plan] control step 'loop': expected a loop, a branch or a requirement, without kernel, "
     "plugin and workspace, got another"},
    {"RequirementWithABody", [](Document& d) { d.steps[0].control->kind = ControlKind::kRequire; },
     "[plan] control step 'loop': expected no body of a requirement, got 1"},
    {"RequirementWithAnOutput",
     [](Document& d) {
         d.steps.resize(1);
         d.steps[0].control = {ControlKind::kRequire, 1, {}};
     },
     "expected no outputs of a requirement, got 1"},
    {"DecidedByNoInput",
     [](Document& d) {
         d.steps[1].control->value = -1;
         d.steps[1].control->decider = 3;
     },
     "expected the number of an integer expression, or -1 and an input that decides, got -1"},
    {"DecidedTwice", [](Document& d) { d.steps[1].control->decider = 0; },
     "or -1 and an input that decides, got 2"},
    {"DecidedByManyNumbers",
     [](Document& d) {
         d.steps[1].control->value = -1;
         d.steps[1].control->decider = 0;
     },
     "[plan] control step 'branch': expected integers or truth values to decide by, got 'x'"},
    {"CarriesTooMany", [](Document& d) { d.steps[0].control->carried = 2; },
     "expected 0 to 1 carried values, each with an initial value and an output, got 2"},
    {"CarriesNothing", [](Document& d) { d.steps[0].control->carried = -1; }, "got -1"},
    {"BranchThatCarries", [](Document& d) { d.steps[1].control->carried = 1; },
     "expected 0 to 0 carried values"},
    {"MoreSlicesThanInputs", [](Document& d) { d.steps[0].control->slices = {5, 6}; },
     "expected 0 to 1 slices, one for each input behind the initial values, got 2"},
    {"SliceOfTheSameRank",
     [](Document& d) {
         d.tensors.push_back(d.tensors[5]);
         d.steps[0].control->slices = {7};
     },
     "[plan] control step 'loop': expected a slice of an input in memory of its own, got 'one'"},
    {"SliceOfNoTensor", [](Document& d) { d.steps[0].control->slices = {99}; },
     "expected to write tensors that no other step writes"},
    {"SlicesFromTheEnd", [](Document& d) { d.steps[0].control->backward = 1; },
     "expected 0 to 0 slices from the end, got 1"},
    {"StacksFromTheEnd", [](Document& d) { d.steps[0].control->reversed = 1; },
     "expected 0 to 0 outputs from the end, got 1"},
    {"StackOfTheSameRank",
     [](Document& d) {
         d.steps[0].control->carried = 0;
         loop(d).inputs = {0};
     },
     "got"},
    {"TestBehindTheBody",
     [](Document& d) {
         loop(d).condition = 4;
         loop(d).testedAfter = 4;
     },
     "[plan] control step 'loop': expected a test within a body of a loop, got 4"},
    {"TestInABranch", [](Document& d) { body(d, 0).condition = 5; },
     "[plan] control step 'branch': expected a test within a body of a loop, got 0"},
    {"TestOfWhatIsNotMade", [](Document& d) { loop(d).condition = 4; },
     "[plan] step 'loop': expected to read inputs, constants and outputs of earlier steps of its "
     "body"},
    {"TestOfManyNumbers",
     [](Document& d) {
         loop(d).condition = 4;
         loop(d).testedAfter = 3;
     },
     "expected integers or truth values to decide by, got 'next'"},
    {"WithPlugin", [](Document& d) { d.steps[0].plugin = 0; }, "without kernel, plugin"},
    {"WithWorkspace", [](Document& d) { d.steps[0].workspaceBytes = 64; }, "without kernel"},
    {"NoBody", [](Document& d) { d.steps[0].control->bodies.clear(); },
     "[plan] control step 'loop': expected 1 body of a loop, got 0"},
    {"LoopOfTwoBodies", [](Document& d) { d.steps[0].control->bodies.push_back(loop(d)); },
     "expected 1 body of a loop, got 2"},
    {"BranchOfOneBody", [](Document& d) { d.steps[1].control->bodies.pop_back(); },
     "[plan] control step 'branch': expected 2 bodies of a branch, got 1"},
    {"ValueBehindTheEnd", [](Document& d) { d.steps[0].control->value = 3; },
     "expected the number of an integer expression, or -1 and an input that decides, got 3"},
    {"ValueNegative", [](Document& d) { d.steps[1].control->value = -1; }, "got -1"},
    {"BodyPassesTheEnd", [](Document& d) { loop(d).steps = 4; },
     "[plan] control step 'loop': expected bodies of at most the 3 steps that follow, got 4"},
    {"BodyPassesItsParent", [](Document& d) { body(d, 1).steps = 2; },
     "[plan] control step 'branch': expected bodies of at most the 1 steps that follow, got 2"},
    {"BodyOfItself", [](Document& d) { body(d, 0).steps = -1; }, "got -1"},
    {"BodyTooShort", [](Document& d) { loop(d).steps = 2; },
     "[plan] control step 'branch': expected bodies of at most the 0 steps that follow, got 1"},
    {"TooFewResults", [](Document& d) { body(d, 0).outputs.clear(); },
     "expected 1 results of each body, one for each output, got 0"},
    {"NoInitialValue", [](Document& d) { d.steps[0].inputs = {}; },
     "expected 0 to 0 carried values, each with an initial value and an output, got 1"},
    {"InputOfTheBodyAlone", [](Document& d) { body(d, 1).inputs = {3}; },
     "[plan] control step 'branch': expected inputs of a body among those of the control step, got "
     "tensor 3"},
    {"InputBehindTheEnd",
     [](Document& d) {
         d.steps[1].inputs.push_back(99);
         body(d, 1).inputs.push_back(99);
     },
     "got tensor 99"},
    {"ReadsPastTheInputs", [](Document& d) { body(d, 0).inputs = {2}; },
     "[plan] step 'first': expected to read inputs, constants and outputs of earlier steps of its "
     "body or among the body's inputs, got tensor 0"},
    {"ReadsTheOtherBody", [](Document& d) { d.steps[3].inputs[0] = 5; }, kReads},
    {"ReadsTheBodyFromOutside", [](Document& d) { d.steps[1].inputs = {2, 0, 5}; }, kReads},
    {"LoopGivesWhatABranchMakes", [](Document& d) { loop(d).outputs = {5}; },
     "[plan] step 'loop': expected to read inputs, constants and outputs of earlier steps of its "
     "body"},
    {"ResultBehindTheEnd", [](Document& d) { body(d, 0).outputs = {7}; }, "got tensor 7"},
    {"ResultAbsent", [](Document& d) { body(d, 0).outputs = {kAbsent}; }, "got tensor -1"},
    {"InitialValueAbsent", [](Document& d) { d.steps[0].inputs[0] = kAbsent; }, "got tensor -1"},
    {"ResultIsAConstant", [](Document& d) { body(d, 1).outputs = {3}; },
     "[plan] control step 'branch': expected results in memory of the device that steps write, got "
     "'k'"},
    {"ResultOfAnotherShape", [](Document& d) { d.tensors[5].shape.rank = 0; },
     "[plan] control step 'branch': expected a tensor of the type and rank of 'next', got 'one'"},
    {"ResultOfAnotherType", [](Document& d) { d.tensors[6].type.type = DataType::kINT32; },
     "expected a tensor of the type and rank of 'next', got 'other'"},
    {"InitialValueOfAnotherType", [](Document& d) { d.tensors[0].type.type = DataType::kINT32; },
     "[plan] control step 'loop': expected a tensor of the type and rank of 'y', got 'x'"},
    {"WritesAnOutputInABody",
     [](Document& d) {
         d.tensors[4].role = TensorRole::kOutput;
         std::swap(d.tensors[3], d.tensors[4]);
         d.steps[3].inputs[1] = 4;
         d.steps[1].outputs = loop(d).outputs = {3};
     },
     "[plan] step 'branch': expected to write internal tensors, since it lies in a loop or a "
     "branch, got 'next'"},
    {"WritesTheCurrentValue", [](Document& d) { d.steps[2].outputs = {2}; },
     "expected to write tensors that no other step writes"},
    {"WritesNothing",
     [](Document& d) {
         d.steps[1].outputs.clear();
         body(d, 0).outputs.clear();
         body(d, 1).outputs.clear();
     },
     "[plan] step 'branch': expected 1 or more outputs, got 0"},
};

INSTANTIATE_TEST_SUITE_P(Attacks, PlanCheckControl, ::testing::ValuesIn(kAttacks), kNameOf);

/// A chain of branches, each in the first body of the one before.
Document nested(std::size_t depth) {
    Document document = controlDocument();
    StepRecord branch = document.steps[1];
    std::vector<StepRecord> steps;
    for (std::size_t i = 0; i < depth; ++i) {
        TensorRecord made = document.tensors[4];
        branch.outputs = {document.tensors.add(made)};
        branch.inputs = {0};
        branch.control->bodies = {{static_cast<int32_t>(depth - i - 1), {0}, {}}, {0, {0}, {}}};
        steps.push_back(branch);
    }
    document.steps.insert(document.steps.end(), steps.begin(), steps.end());
    return document;
}

TEST(PlanCheckOfControl, RefusesDeepNests) {
    Document deep = nested(kMostNestedBodies + 1);
    for (StepRecord& step : deep.steps) {
        for (std::size_t i = 0; step.control.has_value() && i < 2 && step.inputs.size() == 1; ++i) {
            step.control->bodies[i].outputs = {0};
        }
    }
    EXPECT_THAT(readError(assemble(deep)),
                HasSubstr("expected bodies that lie at most 16 deep in others, got more"));
}

TEST(PlanCheckOfControl, RefusesResultsThatOverwriteEachOther) {
    Document document = controlDocument();
    TensorRecord second = document.tensors[2];
    second.name = "z";
    document.steps.resize(1);
    document.tensors.resize(3);
    document.tensors.push_back(second);
    document.steps[0].inputs = {0, 0};
    document.steps[0].outputs = {2, 3};
    document.steps[0].control->bodies = {{0, {0, 2, 3}, {3, 2}}};
    document.steps[0].control->carried = 2;
    EXPECT_THAT(readError(assemble(document)),
                HasSubstr("[plan] control step 'loop': expected results that the copies of other "
                          "results do not overwrite, got 'y'"));
}

} // namespace
} // namespace kiln::plan::testing
