// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/context.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "graph/ops/identity.h"
#include "plan/writer.h"

namespace kiln::runtime {
namespace {

using graph::ExprOp;
using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// y = [v, w], from the shape inputs v and w, each 1 to 3.
plan::Document pairOfValues() {
    plan::Document document;
    document.target = "cpu";
    document.architecture = "any";
    document.exprs = {{ExprOp::kConstant, 0, 0, 1},
                      {ExprOp::kConstant, 0, 0, 2},
                      {ExprOp::kShapeValue, 0, 0, 0},
                      {ExprOp::kShapeValue, 1, 0, 0}};
    auto const add = [&](char const* name, plan::TensorRole role, int32_t extent) {
        plan::TensorRecord tensor;
        tensor.name = name;
        tensor.role = role;
        tensor.type.type = DataType::kINT64;
        tensor.shape.rank = 1;
        tensor.shape.extent[0] = extent;
        tensor.inputIndex =
            role == plan::TensorRole::kInput ? static_cast<int32_t>(document.tensors.size()) : -1;
        document.tensors.push_back(tensor);
    };
    add("v", plan::TensorRole::kInput, 0);
    add("w", plan::TensorRole::kInput, 0);
    add("y", plan::TensorRole::kOutput, 1);
    add("pair", plan::TensorRole::kValues, 1);
    document.tensors[3].values = {2, 3};
    document.profiles.resize(1);
    for (plan::TensorId const input : {plan::TensorId(0), plan::TensorId(1)}) {
        document.profiles[0].values.push_back({input, {1}, {1}, {3}});
    }
    plan::StepRecord step;
    step.name = "copy";
    step.kernel.kernel = "identity_reference";
    step.kernel.op = graph::Identity::kKind;
    step.kernel.inputs = {document.tensors[3].type};
    step.kernel.outputs = {document.tensors[2].type};
    step.inputs = {3};
    step.outputs = {2};
    document.steps = {step};
    return document;
}

TEST(Context, AValueThatWasReadBesideARefusedOneCounts) {
    Engine const engine(copyOfPlan(plan::write(pairOfValues())), Log());
    Context context(engine, {}, MemoryStrategy::kOnce);
    int64_t v = 1;
    int64_t w = 1;
    std::array<int64_t, 2> y{};
    context.setAddress(0, &v);
    context.setAddress(1, &w);
    context.setAddress(2, y.data());
    context.run(nullptr);
    EXPECT_THAT(y, ElementsAre(1, 1));
    v = 2;
    w = 9;
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { context.run(nullptr); }),
                HasSubstr("[run] shape input 'w', element 0: expected a value from 1 to 3"));
    w = 1;
    context.run(nullptr);
    EXPECT_THAT(y, ElementsAre(2, 1));
}

} // namespace
} // namespace kiln::runtime
