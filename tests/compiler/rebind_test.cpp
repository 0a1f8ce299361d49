// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engine::rebind() on plans that the compiler made. It is here because tests of the runtime have no
// compiler.
#include "compiler/gpu_present_fixture.h"
#include "compiler/rebind_story.h"

namespace kiln::test {
namespace {

TEST(Rebind, Product) {
    rebindAProduct("cpu");
}

TEST(Rebind, Convolution) {
    rebindAConvolution("cpu");
}

TEST(Rebind, Sum) {
    rebindASum("cpu");
}

class CudaRebind : public PresentGpuTest {};

TEST_F(CudaRebind, Product) {
    rebindAProduct("cuda");
}

TEST_F(CudaRebind, Convolution) {
    rebindAConvolution("cuda");
}

TEST_F(CudaRebind, Sum) {
    rebindASum("cuda");
}

} // namespace
} // namespace kiln::test
