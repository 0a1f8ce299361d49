// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/check_aot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

class CheckAot : public testing::Test {
protected:
    CheckAot() {
        kernel_.entry = "scale";
        kernel_.images.push_back({});
        kernel_.images.back().bytes = test::sampleCubin();
        kernel_.grid.fill(pool_.inputExtent(0, 0));
        kernel_.block.fill(pool_.constant(1));
        kernel_.sharedBytes = pool_.constant(0);
        kernel_.scalars = {{ScalarType::kInt32, pool_.inputExtent(0, 0), 0.0},
                           {ScalarType::kFloat32, -1, 2.5}};
    }

    std::vector<AotKernel> check() {
        std::vector<AotKernel> kernels{kernel_};
        checkAot(kernels, {"cuda", "sm_86", 1, 1}, pool_);
        return kernels;
    }
    std::string problem() {
        return errorOf(ErrorKind::kInvalidArgument, [&] { check(); });
    }
    graph::ExprRef size() {
        return pool_.sizeTensor(pool_.newSizeTensor(), pool_.constant(4), pool_.constant(8));
    }

    graph::ExprPool pool_;
    AotKernel kernel_;
};

TEST_F(CheckAot, CompletesTheImages) {
    std::vector<AotKernel> const kernels = check();
    EXPECT_EQ(kernels[0].images[0].kind, CodeKind::kCubin);
    EXPECT_EQ(kernels[0].images[0].architecture, "sm_80");
}

TEST_F(CheckAot, NoKernels) {
    std::vector<AotKernel> none;
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { checkAot(none, {"cuda", "sm_90", 1, 1}, pool_); }),
                HasSubstr("expected at least one kernel for the target cuda (sm_90), got none"));
}

TEST_F(CheckAot, ConstantLaunchParameters) {
    kernel_.block[1] = pool_.constant(2000);
    EXPECT_THAT(problem(), HasSubstr("kernel 'scale', block_y: expected 1 to 1024, got 2000"));
    kernel_.block[1] = pool_.constant(1);
    kernel_.grid[2] = pool_.constant(0);
    EXPECT_THAT(problem(), HasSubstr("kernel 'scale', grid_z: expected 1 to 65535, got 0"));
}

TEST_F(CheckAot, SizesThatTheOpFindsOut) {
    kernel_.grid[0] =
        pool_.binary(graph::ExprOp::kCeilDiv,
                     pool_.binary(graph::ExprOp::kSum, size(), kernel_.grid[0]), pool_.constant(2));
    EXPECT_THAT(problem(),
                HasSubstr("kernel 'scale', grid_x: expected an expression of the inputs' "
                          "shapes, got the size tensor of an output"));
    kernel_.grid[0] = pool_.constant(1);
    kernel_.scalars[0].value = size();
    EXPECT_THAT(problem(), HasSubstr("kernel 'scale', extra argument 0: expected"));
}

} // namespace
} // namespace kiln::plugin
