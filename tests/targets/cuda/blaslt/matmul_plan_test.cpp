// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/matmul_plan.h"

#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using GpuMatmulPlan = test::GpuTest;

TEST_F(GpuMatmulPlan, AnswersOfManyShapesAreForgotten) {
    if (!CublasLt::problem().empty()) {
        GTEST_SKIP() << CublasLt::problem();
    }
    auto const plan = [](int64_t rows) {
        MatrixProduct product;
        product.a = {rows, 8, rows, false, rows * 8};
        product.b = {8, 4, 8, false, 32};
        product.c = {rows, 4, rows, false, rows * 4};
        MatmulPlan const made(product, DataType::kFLOAT, 0);
    };
    std::size_t const most = MatmulPlan::kMostChosen;
    for (std::size_t i = 1; i <= most + 10; ++i) {
        plan(static_cast<int64_t>(i));
    }
    EXPECT_EQ(MatmulPlan::chosen(), most);
}

} // namespace
} // namespace kiln::targets::cuda
