// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/fault_word.h"

#include <memory>
#include <set>

#include "targets/cuda/gpu_fixture.h"
#include "targets/cuda/module.h"

namespace kiln::targets::cuda {
namespace {

TEST(FaultWord, IsTakenOnce) {
    FaultWord const word;
    EXPECT_EQ(word.value(), 0);
    *word.address() = 7;
    EXPECT_EQ(word.value(), 7);
    EXPECT_EQ(word.take(), 7);
    EXPECT_EQ(word.take(), 0);
}

TEST(FaultWord, StartsAtZeroWhateverItsLastOwnerLeft) {
    int64_t* address = nullptr;
    {
        FaultWord const first;
        address = first.address();
        *address = 3;
    }
    FaultWord const second;
    EXPECT_EQ(second.address(), address);
    EXPECT_EQ(second.value(), 0);
}

TEST(FaultWord, IsItsOwnersAlone) {
    std::vector<std::unique_ptr<FaultWord>> words;
    std::set<int64_t*> addresses;
    for (int i = 0; i < 1200; ++i) {
        words.push_back(std::make_unique<FaultWord>());
        addresses.insert(words.back()->address());
    }
    EXPECT_EQ(addresses.size(), 1200U);
}

using GpuFaultWord = test::GpuTest;

TEST_F(GpuFaultWord, IsWrittenByKernels) {
    FaultWord const word;
    EXPECT_EQ(cuda_.pointerProblem(word.address()), "");
    EXPECT_EQ(cuda_.hostPointerProblem(word.address()), "");
    Module const module(test::compiled("extern \"C\" __global__ void report(long long* word, long "
                                       "long value) { *word = value; }"));
    int64_t* address = word.address();
    long long value = 42;
    void* parameters[] = {&address, &value};
    check(Driver::instance().launchKernel(module.function("report"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                          parameters, nullptr),
          "launch");
    cuda_.synchronize(nullptr);
    EXPECT_EQ(word.take(), 42);
}

} // namespace
} // namespace kiln::targets::cuda
