// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Mistakes of kernels that the order of threads hides, and what is in memory by chance: the
// emulated GPU shows them.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>

#include "targets/cuda/gpu_fixture.h"
#include "targets/cuda/module.h"

namespace kiln::targets::cuda {
namespace {

using testing::Each;

struct Grid {
    unsigned blocks = 1;
    unsigned sharedBytes = 0;
    bool overlaps = false;
};

class GpuOrders : public test::EmulatedGpuTest {
protected:
    static constexpr unsigned kThreads = 64;
    static constexpr uint64_t kSeeds = 8;

    void TearDown() override {
        if (!IsSkipped()) {
            setOrder(false);
        }
        module_.reset();
        EmulatedGpuTest::TearDown();
    }

    void compile(std::string const& body) {
        module_ = std::make_unique<Module>(
            test::compiled("#include \"matrix_units.cuh\"\n#include \"dependents.cuh\"\n"
                           "extern \"C\" __global__ void test(float* at) { int i = threadIdx.x; " +
                           body + " }"));
    }

    CUresult run(void* numbers, Grid grid = {}) {
        void* parameters[] = {&numbers};
        CUlaunchAttribute overlap{CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1, {}};
        CUlaunchConfig const config{grid.blocks,
                                    1,
                                    1,
                                    kThreads,
                                    1,
                                    1,
                                    grid.sharedBytes,
                                    nullptr,
                                    &overlap,
                                    grid.overlaps ? 1U : 0U};
        Driver const& driver = Driver::instance();
        EXPECT_EQ(driver.launchKernelEx(&config, module_->function("test"), parameters, nullptr),
                  CUDA_SUCCESS);
        return driver.streamSynchronize(nullptr);
    }

    /// The results of a kernel in order, and in random orders.
    struct Results {
        std::vector<float> inOrder;
        std::set<std::vector<float>> random;
    };
    Results resultsOf(std::string const& body, Grid grid = {}) {
        compile(body);
        Results results;
        for (uint64_t seed = 0; seed <= kSeeds; ++seed) {
            setOrder(seed != 0, seed);
            test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
            EXPECT_EQ(run(numbers.address(), grid), CUDA_SUCCESS);
            if (seed == 0) {
                results.inOrder = numbers.read();
            } else {
                results.random.insert(numbers.read());
            }
        }
        return results;
    }

    void expectSteady(std::string const& body, Grid grid = {}) {
        Results const results = resultsOf(body, grid);
        EXPECT_EQ(results.random, std::set{results.inOrder});
    }
    void expectUnsteady(std::string const& body, Grid grid = {}) {
        Results const results = resultsOf(body, grid);
        EXPECT_GT(results.random.size(), 1U);
    }

    CUresult failureOf(std::string const& body, Grid grid = {}) {
        compile(body);
        setOrder(true, 1);
        test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
        return run(numbers.address(), grid);
    }

    std::unique_ptr<Module> module_;
};

TEST_F(GpuOrders, ShowAMissingBarrier) {
    expectUnsteady("__shared__ int shared[64]; shared[i] = i; at[i] = shared[i / 2];");
    expectSteady(
        "__shared__ int shared[64]; shared[i] = i; __syncthreads(); at[i] = shared[i / 2];");
}

TEST_F(GpuOrders, ShowAMissingBarrierBeforeMemoryIsUsedAgain) {
    std::string const begin = "__shared__ int shared[64]; shared[i] = i; __syncthreads();"
                              "int next = shared[i < 63 ? i + 1 : i];";
    std::string const end = "shared[i] = next; __syncthreads(); at[i] = shared[i];";
    expectUnsteady(begin + end);
    expectSteady(begin + "__syncthreads();" + end);
}

TEST_F(GpuOrders, ShowAMissingBarrierOfAWarp) {
    std::string const begin = "__shared__ int shared[64]; shared[i] = i;";
    std::string const end = "at[i] = shared[i / 32 * 32 + i % 32 / 2];";
    expectUnsteady(begin + end);
    expectSteady(begin + "__syncwarp();" + end);
}

TEST_F(GpuOrders, ShowBlocksThatRelyOnEarlierOnes) {
    expectUnsteady("if (i == 0) at[blockIdx.x + 1] = at[blockIdx.x] + 1;", {32});
    expectSteady("if (i == 0) at[blockIdx.x] = blockIdx.x;", {32});
}

TEST_F(GpuOrders, ShowAtomicsWhoseOrderMatters) {
    expectUnsteady("at[i] = atomicAdd(reinterpret_cast<int*>(at) + 63, 1);");
    expectSteady("atomicAdd(at, 1.0f);");
}

TEST_F(GpuOrders, FillSharedMemoryForEachBlock) {
    compile("__shared__ float shared[64]; at[i] = shared[i]; shared[i] = 1.0f;");
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    EXPECT_EQ(run(numbers.address(), {3}), CUDA_SUCCESS);
    EXPECT_THAT(numbers.read(), Each(testing::IsNan()));
}

TEST_F(GpuOrders, FillArraysOfThreads) {
    compile("float own[4]; for (int k = 0; k < 4; ++k) if (at[k] > 0.0f) own[k] = 1.0f;"
            "at[i] = own[i % 4];");
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    EXPECT_EQ(run(numbers.address()), CUDA_SUCCESS);
    EXPECT_THAT(numbers.read(), Each(testing::Lt(-1e38F)));
}

TEST_F(GpuOrders, KeepVariablesInGlobalMemory) {
    module_ = std::make_unique<Module>(
        test::compiled("__device__ int count; extern \"C\" __global__ void test(float* at) {"
                       "if (threadIdx.x == 0) *at = ++count; }"));
    test::GpuNumbers const numbers(cuda_, {0});
    EXPECT_EQ(run(numbers.address(), {3}), CUDA_SUCCESS);
    EXPECT_EQ(numbers.read()[0], 3.0F);
}

TEST_F(GpuOrders, LimitSharedMemoryToThatOfTheLaunch) {
    std::string const body = "KILN_DYNAMIC_SHARED(memory, 4096);"
                             "float* own = reinterpret_cast<float*>(memory);"
                             "own[4 * i] = i; __syncthreads(); at[i] = own[4 * (63 - i)];";
    expectSteady(body, {1, 1024});
    EXPECT_EQ(failureOf(body, {1, 1000}), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(GpuOrders, EndLaunchesBeyondTheSharedMemory) {
    EXPECT_EQ(failureOf("KILN_DYNAMIC_SHARED(memory, 4096); memory[1024 + i] = 1;", {1, 1024}),
              CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(GpuOrders, CopyWhenAThreadWaits) {
    std::string const begin =
        "__shared__ __align__(16) float shared[256]; at[i] = i; __syncthreads();"
        "if (i < 16) { beginCopy(shared + 4 * i, at + 4 * i, true); endGroup();";
    std::string const end = "} __syncthreads(); float x = shared[i]; __syncthreads(); at[i] = x;";
    expectSteady(begin + "waitForGroups<0>();" + end);
    compile(begin + end);
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    EXPECT_EQ(run(numbers.address()), CUDA_SUCCESS);
    EXPECT_THAT(numbers.read(), Each(testing::IsNan()));
    compile("__shared__ __align__(16) float shared[8]; if (i != 0) return;"
            "beginCopy(shared, at, true); endGroup(); beginCopy(shared + 4, at, false); endGroup();"
            "waitForGroups<1>(); at[8] = shared[0]; at[9] = shared[4];"
            "waitForGroups<0>(); at[10] = shared[4];");
    EXPECT_EQ(run(numbers.address()), CUDA_SUCCESS);
    std::vector<float> const values = numbers.read();
    EXPECT_TRUE(std::isnan(values[9]));
    EXPECT_EQ(values[10], 0.0F);
}

TEST_F(GpuOrders, RefuseUnalignedCopies) {
    EXPECT_EQ(failureOf("__shared__ __align__(16) float shared[8];"
                        "if (i == 0) beginCopy(shared, at + 1, true);"),
              CUresult{716});
}

TEST_F(GpuOrders, RefuseMasksWithoutTheThread) {
    EXPECT_EQ(failureOf("if (i < 2) at[i] = __shfl_sync(2u, i, 1);"), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(GpuOrders, RefuseKernelsThatOverlapWithoutWaiting) {
    Grid const overlapping{2, 0, true};
    expectSteady("waitForInputs(); at[i] = i;", overlapping);
    EXPECT_EQ(failureOf("at[i] = i; waitForInputs();", overlapping), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(GpuOrders, RefuseKernelsThatOverlapAndNeverWait) {
    EXPECT_EQ(failureOf("", {2, 0, true}), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(GpuOrders, ShowStreamsThatDoNotWaitForEachOther) {
    Driver const& driver = Driver::instance();
    std::array<CUstream, 2> streams{};
    for (CUstream& stream : streams) {
        driver.streamCreate(&stream, CU_STREAM_NON_BLOCKING);
    }
    CUevent event = nullptr;
    driver.eventCreate(&event, CU_EVENT_DISABLE_TIMING);
    test::GpuNumbers const numbers(cuda_, {0});
    auto const address = reinterpret_cast<CUdeviceptr>(numbers.address());
    for (bool const waits : {false, true}) {
        std::set<float> found;
        for (uint64_t seed = 0; seed < kSeeds; ++seed) {
            setOrder(true, seed);
            driver.memsetD8Async(address, 1, sizeof(float), streams[0]);
            if (waits) {
                driver.eventRecord(event, streams[0]);
                driver.streamWaitEvent(streams[1], event, 0);
            }
            driver.memsetD8Async(address, 2, sizeof(float), streams[1]);
            CUdeviceptr other = 0;
            driver.memAlloc(&other, 4);
            driver.memFree(other); // waits for all streams, in any order
            found.insert(numbers.read()[0]);
        }
        EXPECT_EQ(found.size(), waits ? 1U : 2U);
    }
    driver.eventDestroy(event);
    for (CUstream const stream : streams) {
        driver.streamDestroy(stream);
    }
}

} // namespace
} // namespace kiln::targets::cuda
