// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The exported functions: those that create builder and runtime, and Kiln's own additions.
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kiln/kiln.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

TEST(EntryPoints, NullLogger) {
    EXPECT_EQ(createInferBuilder_INTERNAL(nullptr, NV_TENSORRT_VERSION), nullptr);
    EXPECT_EQ(createInferRuntime_INTERNAL(nullptr, NV_TENSORRT_VERSION), nullptr);
}

TEST(EntryPoints, HeadersOfAnotherMajorVersion) {
    RecordingLogger log;
    EXPECT_EQ(createInferBuilder_INTERNAL(&log, 80600), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[kiln] builder: the program was compiled against "
                                            "headers of version 80600"));
    EXPECT_EQ(createInferRuntime_INTERNAL(&log, 110000), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[kiln] runtime: the program was compiled"));
}

TEST(EntryPoints, TheLastErrorIsTakenOnce) {
    RecordingLogger log;
    takeLastError();
    EXPECT_EQ(createInferBuilder_INTERNAL(&log, 80600), nullptr);
    EXPECT_EQ(takeLastError() + std::string("\n"), log.takeErrors());
    EXPECT_STREQ(takeLastError(), "");
    EXPECT_EQ(createInferBuilder_INTERNAL(&log, 80600), nullptr);
    std::thread([] { EXPECT_STREQ(takeLastError(), "") << "another thread"; }).join();
    EXPECT_STRNE(takeLastError(), "");
}

TEST(EntryPoints, TheFirstLoggerIsTheGlobalOne) {
    RecordingLogger first;
    RecordingLogger second;
    EXPECT_EQ(getLogger(), nullptr);
    std::unique_ptr<IRuntime> one(createInferRuntime(first));
    EXPECT_EQ(getLogger(), &first);
    std::unique_ptr<IBuilder> two(createInferBuilder(second));
    EXPECT_EQ(getLogger(), &first);
    EXPECT_EQ(one->getLogger(), &first);
    EXPECT_EQ(two->getLogger(), &second);
    one.reset();
    two.reset();
    EXPECT_EQ(getLogger(), nullptr) << "its user may be gone by now";
}

TEST(EntryPoints, Version) {
    EXPECT_STREQ(kiln::version(), KILN_VERSION_STRING);
    EXPECT_EQ(getInferLibVersion(), NV_TENSORRT_VERSION);
}

TEST(EntryPoints, Target) {
    EXPECT_FALSE(setDefaultTarget("abacus"));
    EXPECT_TRUE(setDefaultTarget("cpu"));
    EXPECT_STREQ(defaultTarget(), "cpu");
    EXPECT_TRUE(setDefaultTarget("cuda:sm_90"));
    EXPECT_STREQ(defaultTarget(), "cuda:sm_90");
    EXPECT_TRUE(setDefaultTarget(nullptr));
    EXPECT_STREQ(buildTarget(), "") << "nothing is being built";
}

TEST(EntryPoints, TargetProblem) {
    EXPECT_STREQ(targetProblem("cpu"), "");
    EXPECT_STREQ(targetProblem("cuda:sm_80+sm_90"), "");
    EXPECT_THAT(targetProblem("abacus"), HasSubstr("expected one of: cpu, cuda; got 'abacus'"));
    EXPECT_THAT(targetProblem(nullptr), HasSubstr("expected the name of a target"));
}

TEST(EntryPoints, Threads) {
    int32_t const before = numThreads();
    EXPECT_GE(before, 1);
    setNumThreads(1);
    EXPECT_EQ(numThreads(), 1);
    setNumThreads(-4);
    EXPECT_EQ(numThreads(), 1) << "a negative value is ignored";
    setNumThreads(0);
    EXPECT_EQ(numThreads(), before);
}

class PlanFile : public testing::Test {
protected:
    void SetUp() override {
        static float const bias[] = {10, 20};
        Session session;
        ITensor& b =
            *session.network->addConstant(dims({2}), {DataType::kFLOAT, bias, 2})->getOutput(0);
        session.output(
            *session.network->addElementWise(session.input("x", {2}), b, ElementWiseOperation::kSUM)
                 ->getOutput(0),
            "y");
        std::unique_ptr<IHostMemory> const plan = session.build();
        ASSERT_NE(plan, nullptr) << session.log.errors();
        bytes.assign(static_cast<char const*>(plan->data()), plan->size());
        write();
    }
    void TearDown() override { std::remove(path.c_str()); }
    void write() const {
        std::ofstream file(path, std::ios::binary);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }

    std::string path = testing::TempDir() + "kiln_plan_file_test.plan";
    std::string bytes;
    RecordingLogger log;
};

TEST_F(PlanFile, OpensMapped) {
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    std::unique_ptr<ICudaEngine> const engine(openEngine(*runtime, path.c_str()));
    ASSERT_NE(engine, nullptr) << log.errors();
    std::remove(path.c_str()); // the engine keeps the mapping
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    float x[] = {1, 2};
    float y[2] = {};
    context->setTensorAddress("x", x);
    context->setTensorAddress("y", y);
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(y[1], 22.0F);
}

TEST_F(PlanFile, MissingAndNullPaths) {
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    EXPECT_EQ(openEngine(*runtime, "/nowhere/model.plan"), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("/nowhere/model.plan"));
    EXPECT_EQ(openEngine(*runtime, nullptr), nullptr);
    EXPECT_NE(log.takeErrors(), "");
    EXPECT_FALSE(checkPlan("/nowhere/model.plan", log));
    EXPECT_FALSE(checkPlan(nullptr, log));
}

TEST_F(PlanFile, CheckFindsADamagedWeight) {
    EXPECT_TRUE(checkPlan(path.c_str(), log)) << log.errors();
    float const bias[] = {10, 20};
    std::size_t const at = bytes.find(std::string(reinterpret_cast<char const*>(bias), 8));
    ASSERT_NE(at, std::string::npos);
    bytes[at + 5] ^= 0x10;
    write();
    EXPECT_FALSE(checkPlan(path.c_str(), log));
    EXPECT_THAT(log.takeErrors(), HasSubstr("section 'weights'"));
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    std::unique_ptr<ICudaEngine> const engine(openEngine(*runtime, path.c_str()));
    EXPECT_NE(engine, nullptr) << "opening leaves weights unhashed";
}

} // namespace
} // namespace kiln::test
