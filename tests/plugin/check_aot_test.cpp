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
        checkAot(kernels, {"cuda", "sm_86", 1, 1, shapes_}, pool_);
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
    std::vector<graph::ShapeExpr> shapes_;
};

TEST_F(CheckAot, CompletesTheImages) {
    std::vector<AotKernel> const kernels = check();
    EXPECT_EQ(kernels[0].images[0].kind, CodeKind::kCubin);
    EXPECT_EQ(kernels[0].images[0].architecture, "sm_80");
}

TEST_F(CheckAot, NoKernels) {
    std::vector<AotKernel> none;
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { checkAot(none, {"cuda", "sm_90", 1, 1, {}}, pool_); }),
                HasSubstr("expected at least one kernel for the target cuda (sm_90), got none"));
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
    EXPECT_THAT(problem(), HasSubstr("kernel 'scale', extra argument: expected"));
}

TEST_F(CheckAot, SizesThatEarlierOpsFoundOut) {
    graph::ExprRef const rows = size();
    graph::ShapeExpr shape;
    shape.rank = 1;
    shape[0] = rows;
    shapes_ = {shape};
    kernel_.grid[0] = pool_.binary(graph::ExprOp::kCeilDiv, rows, pool_.constant(2));
    EXPECT_EQ(check().size(), 1U);
}

} // namespace
} // namespace kiln::plugin
