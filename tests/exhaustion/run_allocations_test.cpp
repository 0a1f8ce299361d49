// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A run of unchanged shapes allocates nothing, kernels of oneDNN included. Each case is a process
// of its own: other tests of the program want one in which Kiln has never run.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "exhaustion/failing_memory.h"
#include "exhaustion/job.h"
#include "exhaustion/run_networks_fixture.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

constexpr int kCannotCount = 100; ///< exit status

/// Allocations of three runs behind the first two.
int64_t allocationsOf(void (RunNetwork::*add)(), bool channelsLast) {
    QuietLogger log;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(log));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    RunNetwork content(*network);
    (content.*add)();
    if (channelsLast) {
        network->getInput(0)->setAllowedFormats(1U << static_cast<int>(TensorFormat::kHWC));
    }
    std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    if (plan == nullptr) {
        std::fprintf(stderr, "%s\n", log.last);
        return -1;
    }
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    std::unique_ptr<ICudaEngine> const engine(
        runtime->deserializeCudaEngine(plan->data(), plan->size()));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    std::vector<float> x(4096, 0.5F);
    std::vector<float> y(4096);
    bool done = context->setTensorAddress("x", x.data()) &&
                context->setTensorAddress("y", y.data()) && context->enqueueV3(nullptr) &&
                context->enqueueV3(nullptr);
    countMemory();
    for (int run = 0; run < 3; ++run) {
        done = context->enqueueV3(nullptr) && done;
    }
    int64_t const count = mendMemory();
    return done ? count : -1;
}

int exitStatusOf(void (RunNetwork::*add)(), bool channelsLast = false) {
    std::fflush(nullptr);
    pid_t const child = fork();
    if (child == 0) {
        unsetenv("KILN_ONEDNN");
        setenv("KILN_NUM_THREADS", "2", 1);
        int64_t const count = allocationsOf(add, channelsLast);
        _exit(count < 0 ? kCannotCount : static_cast<int>(std::min<int64_t>(count, 99)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RunAllocations, ResidualNetwork) {
    EXPECT_EQ(exitStatusOf(&RunNetwork::addResidual), 0);
    EXPECT_EQ(exitStatusOf(&RunNetwork::addResidual, true), 0);
}

TEST(RunAllocations, Transformer) {
    EXPECT_EQ(exitStatusOf(&RunNetwork::addTransformer), 0);
}

} // namespace
} // namespace kiln::test
