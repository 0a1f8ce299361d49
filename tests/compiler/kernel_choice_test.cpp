// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/kernel_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/estimated_cpu.h"
#include "compiler/rebind_story.h"
#include "graph/ops/matrix_multiply.h"
#include "plan/reader.h"

namespace kiln::compiler {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class KernelChoiceTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { addEstimatedCpu(); }
    void TearDown() override { offered().clear(); }

    /// The step of a product of [1, 64] and [64, 48].
    static plan::StepRecord product(uint64_t workspaceLimit) {
        test::Floats const weights = test::waves(64 * 48, 0.3F);
        graph::Network network(true);
        graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({1, 64}));
        graph::Tensor& w = test::constantOf(network, weights, makeDims({64, 48}));
        network.markOutput(
            *network.addNode(std::make_unique<graph::MatrixMultiply>(), {&x, &w}).outputs[0]);
        Options options;
        options.target = "estimated";
        options.workspaceLimit = workspaceLimit;
        return plan::read(compile(network, options)).steps.at(0);
    }
};

TEST_F(KernelChoiceTest, TheFastestWithinTheLimitOfWorkspaceIsTaken) {
    offered() = {{"matrix_multiply_few_rows", {1e-6, 1e-6, 4096}},
                 {"matrix_multiply_blocked", {1e-2, 1e-2}}, // stands before the reference
                 {"matrix_multiply_reference", {1e-3, 1e-3}}};
    EXPECT_EQ(product(4096).kernel.kernel, "matrix_multiply_few_rows");
    plan::StepRecord const step = product(4095);
    EXPECT_EQ(step.kernel.kernel, "matrix_multiply_reference");
    EXPECT_THAT(step.reasons,
                Contains(HasSubstr("matrix_multiply_few_rows: needs 4096 bytes of workspace, the "
                                   "limit of the workspace memory pool is 4095")));
    EXPECT_THAT(step.reasons, Contains(HasSubstr("matrix_multiply_blocked: estimated to be far")));
}

} // namespace
} // namespace kiln::compiler
