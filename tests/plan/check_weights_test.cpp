// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recipes that contradict themselves: each must be refused when the plan is read.
#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "plan/attack.h"
#include "plan/check.h"
#include "plan/encode.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"

namespace kiln::plan::testing {
namespace {

using ::testing::HasSubstr;

class WeightCheck : public ::testing::TestWithParam<Attack> {};

TEST_P(WeightCheck, Refuses) {
    Document document = richDocument();
    GetParam().change(document);
    Bytes const plan = assemble(document);
    EXPECT_THAT(test::errorOf(ErrorKind::kCorruptData, [&] { read(plan); }),
                HasSubstr(GetParam().expected));
}

constexpr char const* kSource = ": expected a source with a name or with its";
constexpr char const* kOperand = ": expected operands among the";
constexpr char const* kExtents = ": expected extents of its operand's";
constexpr char const* kResult = ": expected a result of at most";
constexpr char const* kTensor = ": expected a constant with the type and the bytes of its weights";

/// Casts to bytes and back, each of the result before.
void addChain(Document& document, int32_t length) {
    for (int32_t i = 0; i < length; ++i) {
        WeightRecord next = document.weights[2];
        next.type.type = DataType::kHALF;
        next.operands[0].weight = WeightId(document.weights.size() - 1);
        next.operands[0].dims = makeDims({i == 0 ? 3 : 24});
        document.weights.push_back(next);
    }
}

Attack const kAttacks[] = {
    {"NotRefittable",
     [](Document& d) {
         d.refittable = false;
         d.fixedWeights.clear();
     },
     "[plan] weights: expected none in a plan that is not refittable, got 5"},
    {"FixedInOtherPlans",
     [](Document& d) {
         d.refittable = false;
         d.weights = {};
     },
     "[plan] fixed weights 'half/value': expected weights of a refittable plan"},
    {"UnknownType", [](Document& d) { d.weights[0].type.type = static_cast<DataType>(200); },
     "[plan] weights 'conv/kernel': expected a known type and format, got 200"},
    {"UnknownFormat", [](Document& d) { d.weights[0].type.format = static_cast<TensorFormat>(99); },
     "and 99"},
    {"SourceWithOtherBytes", [](Document& d) { d.weights[0].sourceBytes = 47; },
     "[plan] weights, operation Cast: expected extents of its operand's 47 bytes"},
    {"SourceWithOperands", [](Document& d) { d.weights[0].operands = {{0, makeDims({24})}}; },
     kSource},
    {"SourceWithParameters", [](Document& d) { d.weights[0].parameters.resize(1); }, kSource},
    {"SourceWithExtents", [](Document& d) { d.weights[0].dims = makeDims({24}); }, kSource},
    {"SourceWithoutNameAndBytes", [](Document& d) { d.weights[1].data = {}; }, kSource},
    {"UnknownOperation", [](Document& d) { d.weights[2].op = "Casts"; },
     "[plan] operation 'Casts' is unknown"},
    {"ParametersOfAnother", [](Document& d) { d.weights[2].parameters.resize(1); }, "[plan] Cast"},
    {"OperationWithAName", [](Document& d) { d.weights[2].name = "n"; },
     "[plan] weights, operation Cast: expected operands, one output, no name and no bytes"},
    {"OperationWithoutOperands", [](Document& d) { d.weights[2].operands.clear(); },
     "got 0 operands"},
    {"OperationWithBytes", [](Document& d) { d.weights[2].sourceBytes = 4; }, "and 4 bytes"},
    {"OperandOfItself", [](Document& d) { d.weights[2].operands[0].weight = 2; }, kOperand},
    {"OperandNegative", [](Document& d) { d.weights[2].operands[0].weight = -1; }, kOperand},
    {"OperandBehindTheEnd", [](Document& d) { d.weights[3].operands[1].weight = 99; }, kOperand},
    {"OperandOfOtherExtents", [](Document& d) { d.weights[2].operands[0].dims.d[0] = 23; },
     kExtents},
    {"OperandOfNegativeExtents", [](Document& d) { d.weights[2].operands[0].dims.d[0] = -24; },
     kExtents},
    {"HugeResult", [](Document& d) { d.weights[2].dims = makeDims({int64_t{1} << 30}); }, kResult},
    {"OverflowingResult", [](Document& d) { d.weights[2].dims = makeDims({int64_t{1} << 62, 8}); },
     kResult},
    {"NegativeResult", [](Document& d) { d.weights[2].dims = makeDims({-1}); }, kResult},
    {"DeepResult", [](Document& d) { addChain(d, 257); }, "got [24] of float16 after 257"},
    {"WeightBehindTheEnd", [](Document& d) { d.tensors[3].weight = 5; }, kTensor},
    {"WeightNegative", [](Document& d) { d.tensors[3].weight = -2; }, kTensor},
    {"WeightOfAnInput", [](Document& d) { d.tensors[0].weight = 3; }, kTensor},
    {"WeightOfAnotherType", [](Document& d) { d.tensors[3].weight = 0; }, kTensor},
    {"WeightOfAnotherSize", [](Document& d) { d.tensors[3].weight = 4; }, kTensor},
    {"LabelOfNoName", [](Document& d) { d.weights[1].label = "kernel"; }, kSource},
    {"OperationWithALabel", [](Document& d) { d.weights[2].label = "n"; },
     "[plan] weights, operation Cast: expected operands, one output, no name"},
    {"FixedWithoutName", [](Document& d) { d.fixedWeights[0].name.clear(); },
     "[plan] fixed weights '': expected weights of a refittable plan with a name"},
    {"FixedOfUnknownType", [](Document& d) { d.fixedWeights[0].type = static_cast<DataType>(200); },
     "got type 200"},
    {"StrippedWithoutWeights",
     [](Document& d) {
         d.tensors[4].data = {};
         d.tensors[4].strippedBytes = 96;
     },
     "[plan] tensor 'w again'"},
    {"StrippedOfAnotherSize",
     [](Document& d) {
         d.tensors[5].data = {};
         d.tensors[5].strippedBytes = 16;
     },
     "[plan] constant 'b': expected 12 bytes"},
    {"FoldedInput", [](Document& d) { d.tensors[0].folded = true; }, "[plan] tensor 'x'"},
};

INSTANTIATE_TEST_SUITE_P(Weights, WeightCheck, ::testing::ValuesIn(kAttacks), kNameOf);

TEST(WeightCheck, StoredSourcesLieInTheSection) {
    Bytes plan = assemble(richDocument());
    EXPECT_EQ(readError(plan), "");
    Document document = richDocument();
    document.weights[0].sourceBytes = 1 << 20;
    EXPECT_THAT(readError(assemble(document)), HasSubstr("[plan] section 'weights', constant "
                                                         "'conv/kernel'"));
}

} // namespace
} // namespace kiln::plan::testing
