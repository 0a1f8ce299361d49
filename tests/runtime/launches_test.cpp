// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/launches.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"

namespace kiln::runtime {
namespace {

using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Writes what happens to a journal: "reshape NAME [input]", "run NAME".
class Journaling final : public target::KernelInstance {
public:
    Journaling(std::vector<std::string>& journal, std::string name)
        : journal_(journal), name_(std::move(name)) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const>) override {
        journal_.push_back("reshape " + name_ + " " + toText(inputs[0]));
        if (inputs[0].d[0] == 13) {
            fail(ErrorKind::kInvalidArgument, "13 elements are unlucky");
        }
    }
    target::Launch launch() override { return {&run, this}; }
    std::size_t workspaceBytes(std::span<Dims const> inputs, std::span<Dims const>) const override {
        return static_cast<std::size_t>(inputs[0].d[0]);
    }

private:
    static int32_t run(void* state, target::KernelCall const& call, target::StreamHandle) noexcept {
        auto& self = *static_cast<Journaling*>(state);
        self.journal_.push_back("run " + self.name_);
        return call.workspace == nullptr ? 0 : 7;
    }

    std::vector<std::string>& journal_;
    std::string name_;
};

/// Two steps on tensor 0; step 1 is a plugin, another one in profile 1.
class LaunchesTest : public ::testing::Test {
protected:
    static plan::Document chain() {
        plan::Document document;
        document.tensors.resize(2);
        document.steps.resize(2);
        for (plan::StepRecord& step : document.steps) {
            step.inputs = {0};
            step.outputs = {1};
            step.workspaceBytes = 100;
        }
        document.steps[0].name = "first";
        document.steps[1].plugin = 0;
        document.steps[1].profilePlugins = {0, 1};
        return document;
    }
    void prepare(Launches& launches, int64_t extent) {
        Table<plan::TensorId, Dims> const dims(2, makeDims({extent}));
        launches.prepare(0, 2, {dims, dims, {}});
    }
    std::vector<std::string> events() { return std::exchange(journal, {}); }

    std::vector<std::string> journal;
    plan::Document document = chain();
    SizePoints points{document};
    Launches launches{document, points, [this](std::size_t step, int32_t profile) {
                          return std::make_unique<Journaling>(journal,
                                                              fmt::format("{}/{}", step, profile));
                      }};
};

TEST_F(LaunchesTest, AreStartedInOrder) {
    prepare(launches, 4);
    EXPECT_THAT(events(), ElementsAre("reshape 0/0 [4]", "reshape 1/0 [4]"));
    launches.startAll(nullptr, [](Launches::Step const&) { FAIL(); });
    EXPECT_THAT(events(), ElementsAre("run 0/0", "run 1/0"));
    EXPECT_EQ(launches.start(1, nullptr), 0);
    EXPECT_THAT(events(), ElementsAre("run 1/0"));
}

TEST_F(LaunchesTest, ArePreparedOnceForAShape) {
    prepare(launches, 4);
    events();
    prepare(launches, 4);
    EXPECT_THAT(events(), IsEmpty());
    prepare(launches, 5);
    EXPECT_THAT(events(), ElementsAre("reshape 0/0 [5]", "reshape 1/0 [5]"));
}

TEST_F(LaunchesTest, ArePreparedAgainAfterAFailure) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { prepare(launches, 13); }),
                HasSubstr("[run] layer 'first': 13 elements are unlucky"));
    events();
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { prepare(launches, 13); }),
                HasSubstr("unlucky"));
    EXPECT_THAT(events(), ElementsAre("reshape 0/0 [13]"));
}

TEST_F(LaunchesTest, RefuseMoreWorkspaceThanThePlanHas) {
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [&] { prepare(launches, 101); }),
        HasSubstr("[run] layer 'first': expected 101 bytes of workspace, the plan has 100"));
}

TEST_F(LaunchesTest, StopAtTheFirstFailure) {
    prepare(launches, 4);
    int workspace = 0;
    launches.setCall(0, {nullptr, nullptr, &workspace});
    events();
    std::size_t failed = 99;
    auto const stop = [&](Launches::Step const& step) {
        failed = launches.indexOf(step);
        throw failed;
    };
    EXPECT_THROW(launches.startAll(nullptr, stop), std::size_t);
    EXPECT_EQ(failed, 0U);
    EXPECT_THAT(events(), ElementsAre("run 0/0"));
}

TEST_F(LaunchesTest, KeepThePluginsOfOtherProfiles) {
    prepare(launches, 4);
    target::KernelInstance const* const first = &launches.instance(1);
    launches.select(1);
    EXPECT_NE(&launches.instance(1), first);
    events();
    prepare(launches, 4); // plugins are told the shape again, kernels are not
    EXPECT_THAT(events(), ElementsAre("reshape 1/1 [4]"));
    launches.select(0);
    EXPECT_EQ(&launches.instance(1), first);
}

TEST_F(LaunchesTest, TakeTheKernelsOfTheProfile) {
    document.steps[0].otherKernels.resize(1);
    document.steps[0].profileKernels = {0, 1};
    document.steps[1].profilePlugins.clear();
    prepare(launches, 4);
    events();
    launches.select(1);
    prepare(launches, 4);
    EXPECT_THAT(events(), ElementsAre("reshape 0/1 [4]", "reshape 1/0 [4]"));
    launches.startAll(nullptr, [](Launches::Step const&) { FAIL(); });
    EXPECT_THAT(events(), ElementsAre("run 0/1", "run 1/0"));
    launches.select(0);
    prepare(launches, 4); // its kernel is prepared for the shapes that it runs with
    EXPECT_THAT(events(), ElementsAre("reshape 0/0 [4]", "reshape 1/0 [4]"));
}

} // namespace
} // namespace kiln::runtime
