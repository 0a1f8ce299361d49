// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Libraries and creators are deregistered while their plugins are in use. A library stays loaded
// exactly as long as objects of its code exist.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/library_session.h"
#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class LibraryLifetime : public testing::Test, protected Session {
protected:
    void* load(IPluginRegistry& in) {
        void* const handle = in.loadLibrary(libraryPath("works").c_str());
        EXPECT_NE(handle, nullptr) << log.errors();
        return handle;
    }
    bool saysThatCodeStays() const {
        return log.has("kiln_test_plugins_works.so' is deregistered; its code stays in the process "
                       "as long as plugins of networks and engines, or another registry, use it.");
    }
    void TearDown() override { EXPECT_FALSE(isMapped("works")) << "the library is still there"; }

    IPluginRegistry& registry = *getPluginRegistry();
};

TEST_F(LibraryLifetime, LeavesTheProcessWhenItIsNotUsed) {
    void* const handle = load(registry);
    EXPECT_TRUE(isMapped("works"));
    registry.deregisterLibrary(handle);
    EXPECT_FALSE(isMapped("works"));
    EXPECT_FALSE(saysThatCodeStays());
}

TEST_F(LibraryLifetime, WithACreatorThatHasNoName) {
    EXPECT_EQ(registry.loadLibrary(libraryPath("nameless").c_str()), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("[registry] creator '', version '1': expected a name and a "
                                        "version."));
    EXPECT_FALSE(isMapped("nameless")) << "closed again";
}

TEST_F(LibraryLifetime, DeregisteredUnderANetwork) {
    void* const handle = load(registry);
    ASSERT_TRUE(addFromRegistry(*this, registry, "StaticDouble"));
    registry.deregisterLibrary(handle);
    EXPECT_TRUE(saysThatCodeStays());
    EXPECT_TRUE(isMapped("works"));
    EXPECT_EQ(registry.getCreator("StaticDouble", "1"), nullptr);
    auto const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    EXPECT_TRUE(isMapped("works"));
    network.reset();
    EXPECT_FALSE(isMapped("works")) << "gone with the last plugin";
    Running running(log, *plan);
    EXPECT_EQ(running.engine, nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("layer 'custom' needs plugin StaticDouble (version 1)"));
}

TEST_F(LibraryLifetime, DeregisteredUnderAnEngine) {
    void* const handle = load(registry);
    ASSERT_TRUE(addFromRegistry(*this, registry, "StaticDouble"));
    auto const plan = build();
    network.reset();
    Running running(log, *plan);
    ASSERT_NE(running.context, nullptr) << log.errors();
    registry.deregisterLibrary(handle);
    EXPECT_TRUE(saysThatCodeStays());
    EXPECT_TRUE(doubles(*running.context));
    std::unique_ptr<IExecutionContext> const another(running.engine->createExecutionContext());
    EXPECT_TRUE(doubles(*another)) << "the engine makes contexts without its creator";
}

TEST_F(LibraryLifetime, LoadedAgainWhileItsCodeStays) {
    void* const handle = load(registry);
    ASSERT_TRUE(addFromRegistry(*this, registry, "StaticDouble"));
    registry.deregisterLibrary(handle);
    void* const again = load(registry);
    EXPECT_NE(registry.getCreator("StaticDouble", "1"), nullptr);
    network.reset();
    EXPECT_TRUE(isMapped("works"));
    registry.deregisterLibrary(again);
}

TEST_F(LibraryLifetime, OfARuntimeThatGoesFirst) {
    load(builder->getPluginRegistry());
    ASSERT_TRUE(addFromRegistry(*this, builder->getPluginRegistry(), "StaticDouble"));
    auto const plan = build();
    Running running(log, *plan);
    EXPECT_NE(running.context, nullptr) << "static creators are those of the process";
    load(running.runtime->getPluginRegistry());
    network.reset();
    config.reset();
    builder.reset();
    EXPECT_TRUE(doubles(*running.context));
    EXPECT_TRUE(isMapped("works"));
}

TEST_F(LibraryLifetime, ExportedCreatorsAreKnownToOneRuntime) {
    std::string const path = libraryPath("works_exported");
    ASSERT_NE(builder->getPluginRegistry().loadLibrary(path.c_str()), nullptr);
    ASSERT_TRUE(addFromRegistry(*this, builder->getPluginRegistry(), "ExportedDouble"));
    auto const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    EXPECT_EQ(running.engine, nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("needs plugin ExportedDouble (version 1)"));
    ASSERT_NE(running.runtime->getPluginRegistry().loadLibrary(path.c_str()), nullptr);
    running.engine.reset(running.runtime->deserializeCudaEngine(plan->data(), plan->size()));
    ASSERT_NE(running.engine, nullptr) << log.errors();
    running.context.reset(running.engine->createExecutionContext());
    EXPECT_TRUE(doubles(*running.context));
    std::unique_ptr<ICudaEngine> const own(builder->buildEngineWithConfig(*network, *config));
    EXPECT_NE(own, nullptr) << "the builder's registry serves, too";
}

TEST_F(LibraryLifetime, AnEngineWithoutParentSearch) {
    void* const handle = load(registry);
    ASSERT_TRUE(addFromRegistry(*this, registry, "StaticDouble"));
    auto const plan = build();
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    runtime->getPluginRegistry().setParentSearchEnabled(false);
    EXPECT_EQ(runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("no creator for plugin StaticDouble (version 1). "));
    registry.deregisterLibrary(handle);
    network.reset();
}

// One thread loads and deregisters the library, the other opens engines and runs them.
TEST_F(LibraryLifetime, TwoThreads) {
    void* const handle = load(registry);
    ASSERT_TRUE(addFromRegistry(*this, registry, "StaticDouble"));
    auto const plan = build();
    network.reset();
    registry.deregisterLibrary(handle);
    std::atomic<bool> done{false};
    std::thread loading([&] {
        while (!done) {
            registry.deregisterLibrary(registry.loadLibrary(libraryPath("works").c_str()));
        }
    });
    int opened = 0;
    for (int i = 0; i < 200; ++i) {
        Running running(log, *plan);
        if (running.context != nullptr) {
            ++opened;
            EXPECT_TRUE(doubles(*running.context));
        }
    }
    done = true;
    loading.join();
    RecordProperty("opened", opened); // opening may find no creator, but never crashes
}

// Plugins also survive the deregistration of a creator that the program defines.
TEST_F(LibraryLifetime, ACreatorIsDeregisteredUnderAnEngine) {
    Script script;
    auto creator = std::make_unique<ScriptedV3Creator>(script);
    ILayer* const layer = addScripted(*network, script, Style::kV3, {&input("x", {4})});
    output(*layer->getOutput(0), "y");
    auto const plan = build();
    Running running(log, *plan);
    ASSERT_NE(running.context, nullptr) << log.errors();
    creator.reset();
    std::vector<float> x{1, 2, 3, 4};
    std::vector<float> y;
    EXPECT_TRUE(running.run({{"x", &x}, {"y", &y}})) << log.errors();
    EXPECT_EQ(y, x);
    EXPECT_EQ(Running(log, *plan).engine, nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("needs plugin Scripted (version 1)"));
    network.reset(); // its plugin refers to the script
}

} // namespace
} // namespace kiln::test
