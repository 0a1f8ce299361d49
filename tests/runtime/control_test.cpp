// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/control.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "graph/ops/identity.h"
#include "plan/writer.h"
#include "runtime/context.h"

namespace kiln::runtime {
namespace {

using graph::ExprOp;
using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

plan::TensorRecord tensor(char const* name, plan::TensorRole role) {
    plan::TensorRecord record;
    record.name = name;
    record.role = role;
    record.shape.rank = 1;
    return record;
}

/// y = x, copied in each pass, as many times as expression 1 says.
plan::Document loop(int64_t passes) {
    plan::Document document;
    document.target = "cpu";
    document.architecture = "any";
    document.exprs = {{ExprOp::kConstant, 0, 0, 2}, {ExprOp::kConstant, 0, 0, passes}};
    document.tensors = {tensor("x", plan::TensorRole::kInput),
                        tensor("y", plan::TensorRole::kOutput),
                        tensor("next", plan::TensorRole::kInternal)};
    document.tensors[0].inputIndex = 0;
    document.arenaBytes = 64;
    plan::StepRecord control;
    control.name = "loop";
    control.inputs = {0};
    control.outputs = {1};
    control.control = {plan::ControlKind::kRepeat, 1, {{1, {1}, {2}}}, {}, 1};
    plan::StepRecord copy;
    copy.name = "copy";
    copy.kernel.kernel = "identity_reference";
    copy.kernel.op = graph::Identity::kKind;
    copy.kernel.inputs.resize(1);
    copy.kernel.outputs.resize(1);
    copy.inputs = {1};
    copy.outputs = {2};
    document.steps = {control, copy};
    return document;
}

TEST(ControlSteps, RunFromAPlan) {
    for (int64_t const passes : {int64_t{-3}, int64_t{0}, int64_t{4}}) {
        Engine const engine(copyOfPlan(plan::write(loop(passes))), Log());
        Context context(engine, {}, MemoryStrategy::kOnce);
        std::vector<float> x{1, 2};
        std::vector<float> y{7, 7};
        context.setAddress(0, x.data());
        context.setAddress(1, y.data());
        context.run(nullptr);
        EXPECT_THAT(y, ElementsAre(1, 2));
    }
}

TEST(ControlSteps, LoopsWithoutABoundAreRefused) {
    Bytes const plan = plan::write(loop(kMostPasses + 1));
    EXPECT_EQ(errorOf(ErrorKind::kCorruptData, [&] { Engine(copyOfPlan(plan), Log()); }),
              "[plan] loop 'loop': expected at most 2147483647 passes, the profiles allow "
              "2147483648. Build the plan again with a smaller largest value.");
}

TEST(ControlSteps, SizesOfABodyAreKnownInThisBodyOnly) {
    plan::Document document = loop(4);
    plan::TensorRecord size = tensor("size", plan::TensorRole::kInternal);
    size.type.type = DataType::kINT64;
    size.shape.rank = 0;
    document.tensors.push_back(size);
    document.exprs.push_back({ExprOp::kSizeTensor, 3, 0, 0});
    document.tensors[3].offset = 64;
    document.arenaBytes = 128;
    document.steps[1].outputs.push_back(3);
    document.steps[1].kernel.outputs.push_back(size.type);
    plan::StepRecord outside;
    outside.name = "outside";
    outside.control.emplace();
    outside.control->kind = plan::ControlKind::kRequire;
    outside.control->value = static_cast<graph::ExprRef>(document.exprs.size()) - 1;
    document.steps.push_back(outside);
    Bytes const plan = plan::write(document);
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { Engine(copyOfPlan(plan), Log()); }),
                HasSubstr("[plan] step 'outside': expected operands whose extents are known where "
                          "it runs, got a size that is found in another body"));
}

} // namespace
} // namespace kiln::runtime
