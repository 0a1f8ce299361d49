// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "graph/op.h"
#include "target/backend_registry.h"
#include "targets/cuda/device.h"

namespace kiln::targets::cuda {
namespace {

using kiln::test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

CudaBackend make(char const* target) {
    return CudaBackend(target::parseTarget(target));
}

TEST(BackendForCuda, BuildsForTheArchitecturesOfItsTarget) {
    CudaBackend const cuda = make("cuda:sm_52+sm_50"); // older than any GPU here
    EXPECT_EQ(cuda.name(), "cuda");
    EXPECT_EQ(cuda.planArchitecture(), "sm_50+sm_52");
    EXPECT_THAT(cuda.codeArchitectures(), ElementsAre("sm_50", "sm_52"));
    EXPECT_EQ(make("cuda:sm_52+sm_50").device(), nullptr);
    EXPECT_FALSE(cuda.readsHostMemory());
}

TEST(BackendForCuda, BuildsPtx) {
    CudaBackend const cuda = make("cuda:sm_80+compute_80");
    EXPECT_EQ(cuda.planArchitecture(), "sm_80+compute_80");
    EXPECT_THAT(cuda.codeArchitectures(), ElementsAre("sm_80"));
}

TEST(BackendForCuda, WantsArchitecturesWhereNoDriverAnswers) {
    if (gpuProblem().empty()) {
        GTEST_SKIP() << "there is a GPU";
    }
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [] { make("cuda"); }),
                HasSubstr("name the architectures that it is for, as in cuda:sm_90"));
}

TEST(BackendForCuda, NamesWhatIsNoArchitecture) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [] { make("cuda:sm_80+hopper"); }),
                HasSubstr("expected architectures such as sm_90, got 'hopper'"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [] { make("cuda:compute_90a"); }),
                HasSubstr("got 'compute_90a'"));
}

TEST(BackendForCuda, RefusesToRunWithoutADriver) {
    if (gpuProblem().empty()) {
        GTEST_SKIP() << "there is a GPU";
    }
    std::string const words = gpuProblem();
    EXPECT_THAT(words, HasSubstr("driver"));
    CudaBackend backend = make("cuda:sm_90");
    EXPECT_EQ(backend.device(), nullptr);
    EXPECT_EQ(backend.noDevice(), words);
    CudaDevice cuda(0);
    auto const refused = [&](auto&& call) {
        EXPECT_THAT(errorOf(ErrorKind::kUnsupported, call), HasSubstr(words));
    };
    refused([&] { cuda.allocate(1, 1, "a test"); });
    refused([&] { cuda.copy(nullptr, nullptr, 1, target::CopyKind::kHostToDevice, nullptr); });
    refused([&] { cuda.fill(nullptr, 0, 1, nullptr); });
    refused([&] { cuda.pointerProblem(&cuda); });
    refused([&] { cuda.createStream(); });
    refused([&] { cuda.synchronize(nullptr); });
    refused([&] { cuda.createEvent(); });
    refused([&] { cuda.record(nullptr, nullptr); });
    refused([&] { cuda.elapsedMs(nullptr, nullptr); });
}

} // namespace
} // namespace kiln::targets::cuda
