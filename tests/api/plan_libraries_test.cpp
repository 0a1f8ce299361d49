// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugin libraries stored in the plan: IBuilderConfig::setPluginsToSerialize.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kiln/kiln.h>

#include "support/library_session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class PlanLibraries : public testing::TestWithParam<char const*>, protected Session {
protected:
    static std::string plugin() {
        return GetParam() == std::string("works") ? "StaticDouble" : "ExportedDouble";
    }
    void serialize(std::vector<std::string> const& paths) {
        std::vector<char const*> names;
        for (std::string const& path : paths) {
            names.push_back(path.c_str());
        }
        config->setPluginsToSerialize(names.data(), static_cast<int32_t>(names.size()));
    }
    /// A plan that contains the library, which is then deregistered.
    std::unique_ptr<IHostMemory> planWithLibrary() {
        void* const handle = registry.loadLibrary(libraryPath(GetParam()).c_str());
        EXPECT_TRUE(addFromRegistry(*this, registry, plugin().c_str()));
        serialize({libraryPath(GetParam())});
        auto plan = build();
        EXPECT_NE(plan, nullptr) << log.errors();
        network.reset();
        registry.deregisterLibrary(handle);
        EXPECT_FALSE(isMapped(GetParam()));
        return plan;
    }

    IPluginRegistry& registry = *getPluginRegistry();
};

/// Whether /proc/self/maps contains this part of a name. It lists memory files as memfd:<name>.
bool mapsHold(std::string const& part) {
    std::ifstream maps("/proc/self/maps");
    std::string const all(std::istreambuf_iterator<char>(maps), {});
    return all.find(part) != std::string::npos;
}

TEST_P(PlanLibraries, LoadWithTheEngineOnceHostCodeIsAllowed) {
    auto const plan = planWithLibrary();
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    EXPECT_EQ(runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
    EXPECT_EQ(
        log.takeErrors(),
        "[plan] the plan carries host code (plugin library kiln_test_plugins_" +
            std::string(GetParam()) +
            ".so): expected it to be allowed. If you trust the plan, allow engine host code on "
            "the runtime (--allowHostCode of trtexec). (plan-138)\n");
    runtime->setEngineHostCodeAllowed(true);
    std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    ASSERT_NE(engine, nullptr) << log.errors();
    EXPECT_TRUE(mapsHold("memfd:kiln_test_plugins_"));
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    EXPECT_TRUE(doubles(*context));
    EXPECT_EQ(registry.getCreator(plugin().c_str(), "1"), nullptr) << "known to the engine alone";
    std::unique_ptr<ICudaEngine> second(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    ASSERT_NE(second, nullptr) << log.errors();
    context.reset();
    engine.reset();
    context.reset(second->createExecutionContext());
    EXPECT_TRUE(doubles(*context));
    context.reset();
    second.reset();
    EXPECT_FALSE(mapsHold("memfd:kiln_test_plugins_")) << "gone with the last engine";
}

TEST_P(PlanLibraries, AreNamedByACheck) {
    auto const plan = planWithLibrary();
    std::string const path = testing::TempDir() + "kiln_with_library.plan";
    std::ofstream(path, std::ios::binary)
        .write(static_cast<char const*>(plan->data()), static_cast<std::streamsize>(plan->size()));
    EXPECT_TRUE(checkPlan(path.c_str(), log)) << log.errors();
    EXPECT_TRUE(
        log.has("[check] plugin library 'kiln_test_plugins_" + std::string(GetParam()) + ".so': "));
    EXPECT_TRUE(log.has("not registered in this process; the plan's libraries may have it"));
    std::filesystem::remove(path);
}

TEST_P(PlanLibraries, TheWaysToTheLoader) {
    auto const plan = planWithLibrary();
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    runtime->setEngineHostCodeAllowed(true);
    runtime->setTempfileControlFlags(0);
    EXPECT_EQ(runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr(".so': expected an allowed way to hand it to the loader, got none. Set "
                          "ALLOW_IN_MEMORY_FILES or ALLOW_TEMPORARY_FILES in the runtime's "
                          "tempfile control flags."));
    auto const flag = static_cast<uint32_t>(TempfileControlFlag::kALLOW_TEMPORARY_FILES);
    runtime->setTempfileControlFlags(1U << flag);
    runtime->setTemporaryDirectory("/nowhere");
    EXPECT_EQ(runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr(".so': expected a place for a temporary file in '/nowhere', got: No such "
                          "file or directory. Give the runtime another temporary directory."));
    std::string const folder = testing::TempDir() + "kiln_plan_libraries";
    std::filesystem::create_directory(folder);
    runtime->setTemporaryDirectory(folder.c_str());
    std::unique_ptr<ICudaEngine> const engine(
        runtime->deserializeCudaEngine(plan->data(), plan->size()));
    ASSERT_NE(engine, nullptr) << log.errors();
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "nothing is left behind";
    EXPECT_TRUE(mapsHold(folder + "/kiln-"));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    EXPECT_TRUE(doubles(*context));
    std::filesystem::remove(folder);
}

INSTANTIATE_TEST_SUITE_P(Both, PlanLibraries, testing::Values("works", "works_exported"));

class PlanLibrariesBuild : public PlanLibraries {};

TEST_P(PlanLibrariesBuild, TheEngineOfABuild) {
    registry.loadLibrary(libraryPath(GetParam()).c_str());
    ASSERT_TRUE(addFromRegistry(*this, registry, plugin().c_str()));
    serialize({libraryPath(GetParam())});
    std::unique_ptr<ICudaEngine> const engine(builder->buildEngineWithConfig(*network, *config));
    ASSERT_NE(engine, nullptr) << log.errors();
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    EXPECT_TRUE(doubles(*context));
    registry.deregisterLibrary(registry.loadLibrary(libraryPath(GetParam()).c_str()));
    registry.deregisterLibrary(registry.loadLibrary(libraryPath(GetParam()).c_str()));
}

TEST_P(PlanLibrariesBuild, TheSetting) {
    EXPECT_EQ(config->getNbPluginsToSerialize(), 0);
    EXPECT_EQ(config->getPluginToSerialize(0), nullptr);
    serialize({"/a/one.so", "two.so"});
    EXPECT_EQ(config->getNbPluginsToSerialize(), 2);
    EXPECT_STREQ(config->getPluginToSerialize(0), "/a/one.so");
    EXPECT_STREQ(config->getPluginToSerialize(1), "two.so");
    EXPECT_EQ(config->getPluginToSerialize(2), nullptr);
    EXPECT_EQ(config->getPluginToSerialize(-1), nullptr);
    char const* const holes[] = {"one.so", nullptr};
    config->setPluginsToSerialize(holes, 2);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[config] plugins to serialize: expected an array of paths to "
                          "libraries, got 2 paths, of which one or all are null or empty."));
    config->setPluginsToSerialize(nullptr, 1);
    EXPECT_THAT(log.takeErrors(), HasSubstr("got 1 paths"));
    config->setPluginsToSerialize(nullptr, -1);
    EXPECT_THAT(log.takeErrors(), HasSubstr("got -1 paths"));
    EXPECT_EQ(config->getNbPluginsToSerialize(), 2) << "as it was";
    config->setPluginsToSerialize(nullptr, 0);
    EXPECT_EQ(config->getNbPluginsToSerialize(), 0);
}

/// x -> identity -> y with a library in the plan.
class PlanLibrariesBad : public PlanLibraries {
protected:
    std::string openErrors(std::string const& path) {
        ITensor& x = input("x", {4});
        output(*network->addIdentity(x)->getOutput(0), "y");
        serialize({path});
        auto const plan = build();
        if (plan == nullptr) {
            return log.takeErrors();
        }
        std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
        runtime->setEngineHostCodeAllowed(true);
        EXPECT_EQ(runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
        return log.takeErrors();
    }
};

TEST_P(PlanLibrariesBad, AFileThatIsMissing) {
    EXPECT_THAT(openErrors("/nowhere/lib.so"), HasSubstr("/nowhere/lib.so"));
}

TEST_P(PlanLibrariesBad, AFileThatIsNoLibrary) {
    std::string const path = testing::TempDir() + "kiln_no_library.so";
    std::ofstream(path) << "text";
    EXPECT_THAT(openErrors(path), HasSubstr("[registry] plugin library 'kiln_no_library.so': "));
    std::filesystem::remove(path);
}

TEST_P(PlanLibrariesBad, ALibraryWithoutCreators) {
    EXPECT_THAT(openErrors(libraryPath("none")),
                HasSubstr("[registry] plugin library 'kiln_test_plugins_none.so' has no plugin "
                          "creators."));
}

INSTANTIATE_TEST_SUITE_P(One, PlanLibrariesBuild, testing::Values("works"));
INSTANTIATE_TEST_SUITE_P(One, PlanLibrariesBad, testing::Values("works"));

} // namespace
} // namespace kiln::test
