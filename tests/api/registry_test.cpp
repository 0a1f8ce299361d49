// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin registry: creators, namespaces, misses, libraries.
#include <algorithm>

#include <NvInferPlugin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kiln/kiln.h>

#include "support/empty_creator.h"
#include "support/session.h"
#include "support/test_paths.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

/// The first builder or runtime sets the process-wide logger, so the fixture has a builder.
class Registry : public testing::Test, protected Session {
protected:
    static IPluginCreatorInterface& base(IPluginCreatorInterface& creator) { return creator; }
    bool add(IPluginCreatorInterface& creator, char const* space = "") {
        return registry.registerCreator(creator, space);
    }
    bool listed(IPluginCreatorInterface const* creator) const {
        int32_t count = -1;
        IPluginCreatorInterface* const* const all = registry.getAllCreators(&count);
        return std::count(all, all + count, creator) == 1;
    }
    static std::string library(std::string const& kind) {
        return builtFolder() + "/kiln_test_plugins_" + kind + ".so";
    }

    IPluginRegistry& registry = *getPluginRegistry();
};

TEST_F(Registry, BuildersAndRuntimesHaveTheirOwn) {
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    EXPECT_NE(&runtime->getPluginRegistry(), &registry);
    EXPECT_NE(&builder->getPluginRegistry(), &registry);
    EXPECT_NE(&builder->getPluginRegistry(), &runtime->getPluginRegistry());
    EXPECT_EQ(getBuilderPluginRegistry(EngineCapability::kSTANDARD), &registry);
}

TEST_F(Registry, AChildFindsWhatItsParentHas) {
    IPluginRegistry& child = builder->getPluginRegistry();
    EmptyV3Creator shared("Shared");
    EmptyV2Creator own("Own");
    EmptyV3Creator shadow("Shared");
    EXPECT_TRUE(add(shared));
    EXPECT_TRUE(child.registerCreator(base(own), ""));
    EXPECT_EQ(child.getCreator("Shared", "1"), &shared);
    EXPECT_EQ(child.getCreator("Own", "1"), &own);
    EXPECT_EQ(child.getPluginCreator("Own", "1"), &own);
    EXPECT_EQ(registry.getCreator("Own", "1"), nullptr) << "known to the child alone";
    EXPECT_TRUE(child.registerCreator(shadow, "")) << "the child's own table is free";
    EXPECT_EQ(child.getCreator("Shared", "1"), &shadow);
    EXPECT_EQ(registry.getCreator("Shared", "1"), &shared);
    EXPECT_TRUE(child.deregisterCreator(shadow));
    EXPECT_FALSE(child.deregisterCreator(shared)) << "the parent's";

    int32_t count = -1;
    EXPECT_EQ(child.getAllCreators(&count)[0], &own);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(child.getPluginCreatorList(&count)[0], &own);
    EXPECT_EQ(count, 1);
    IPluginCreatorInterface* const* const all = child.getAllCreatorsRecursive(&count);
    EXPECT_EQ(std::count(all, all + count, &shared), 1);
    EXPECT_EQ(std::count(all, all + count, &own), 1);

    EXPECT_TRUE(child.isParentSearchEnabled());
    child.setParentSearchEnabled(false);
    EXPECT_FALSE(child.isParentSearchEnabled());
    log.clear();
    EXPECT_EQ(child.getCreator("Shared", "1"), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[registry] no creator for plugin Shared (version 1)."));
    child.getAllCreatorsRecursive(&count);
    EXPECT_EQ(count, 1);
    registry.deregisterCreator(shared);
}

TEST_F(Registry, ALibraryOfAChild) {
    IPluginRegistry& child = builder->getPluginRegistry();
    void* const handle = child.loadLibrary(library("exported").c_str());
    ASSERT_NE(handle, nullptr) << log.errors();
    EXPECT_NE(child.getCreator("ExportedV3", "1"), nullptr);
    EXPECT_EQ(registry.getCreator("ExportedV3", "1"), nullptr);
    void* const again = registry.loadLibrary(library("exported").c_str());
    EXPECT_EQ(again, handle) << "one library in the process";
    child.deregisterLibrary(handle);
    EXPECT_NE(registry.getCreator("ExportedV3", "1"), nullptr);
    registry.deregisterLibrary(again);
    EXPECT_EQ(registry.getCreator("ExportedV3", "1"), nullptr);

    ASSERT_NE(child.loadLibrary(library("static").c_str()), nullptr);
    EXPECT_NE(registry.getCreator("StaticV2", "3"), nullptr) << "static ones are the process's";
    builder.reset();
    EXPECT_EQ(registry.getCreator("StaticV2", "3"), nullptr) << "gone with the last that loaded it";
}

TEST_F(Registry, ALibraryWhoseNamesAreTaken) {
    EmptyV3Creator first("ExportedV3");
    EmptyV2Creator second("StaticV2", "3");
    add(first);
    add(base(second));
    void* const exported = registry.loadLibrary(library("exported").c_str());
    EXPECT_TRUE(log.has("a creator for plugin ExportedV3 (version 1) is registered already"));
    void* const statics = registry.loadLibrary(library("static").c_str());
    EXPECT_TRUE(log.has("a creator for plugin StaticV2 (version 3) is registered already"));
    EXPECT_EQ(registry.getCreator("ExportedV3", "1"), &first);
    EXPECT_EQ(registry.getCreator("StaticV2", "3"), &second);
    registry.deregisterLibrary(exported);
    registry.deregisterLibrary(statics);
    EXPECT_EQ(registry.getCreator("ExportedV3", "1"), &first) << "still there";
    registry.deregisterCreator(first);
    registry.deregisterCreator(base(second));
}

TEST_F(Registry, RegisterFindListDeregister) {
    EmptyV3Creator v3("Alpha");
    EmptyV2Creator v2("Beta", "2");
    EXPECT_TRUE(add(v3));
    EXPECT_TRUE(add(base(v2)));
    EXPECT_EQ(registry.getCreator("Alpha", "1", ""), &v3);
    EXPECT_EQ(registry.getCreator("Beta", "2"), &v2);
    EXPECT_EQ(registry.getPluginCreator("Beta", "2"), &v2);
    EXPECT_EQ(registry.getPluginCreator("Alpha", "1"), nullptr) << "V2 creators only";
    EXPECT_TRUE(listed(&v3));
    EXPECT_TRUE(listed(&v2));
    int32_t count = 0;
    IPluginCreator* const* const old = registry.getPluginCreatorList(&count);
    EXPECT_EQ(std::count(old, old + count, &v2), 1);
    EXPECT_TRUE(registry.deregisterCreator(v3));
    EXPECT_FALSE(registry.deregisterCreator(v3));
    EXPECT_TRUE(registry.deregisterCreator(static_cast<IPluginCreator const&>(v2)));
    EXPECT_FALSE(listed(&v3));
    EXPECT_EQ(registry.getCreator("Beta", "2"), nullptr);
}

TEST_F(Registry, TheSameTripleTwice) {
    EmptyV3Creator first("Twice");
    EmptyV3Creator second("Twice");
    EmptyV3Creator other("Twice", "2");
    EXPECT_TRUE(add(first));
    EXPECT_FALSE(add(first));
    EXPECT_FALSE(add(second));
    EXPECT_THAT(log.text(ILogger::Severity::kWARNING), HasSubstr("Twice"));
    EXPECT_TRUE(add(other));
    EXPECT_EQ(registry.getCreator("Twice", "1"), &first);
    EXPECT_EQ(registry.getCreator("Twice", "2"), &other);
    EXPECT_FALSE(registry.deregisterCreator(second));
    EXPECT_TRUE(registry.deregisterCreator(first));
    EXPECT_TRUE(registry.deregisterCreator(other));
}

TEST_F(Registry, Namespaces) {
    EmptyV3Creator own("Spaced", "1", "own");
    EmptyV2Creator given("Spaced");
    EXPECT_TRUE(add(own));
    EXPECT_TRUE(add(base(given), "given"));
    EXPECT_EQ(registry.getCreator("Spaced", "1", "own"), &own);
    EXPECT_EQ(registry.getCreator("Spaced", "1", "given"), &given);
    EXPECT_STREQ(given.getPluginNamespace(), "given") << "told by setPluginNamespace";
    EXPECT_EQ(registry.getCreator("Spaced", "1"), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("registered under that name: own::Spaced (version 1), "
                                        "given::Spaced (version 1)"));
    registry.deregisterCreator(own);
    registry.deregisterCreator(base(given));
}

TEST_F(Registry, MissListsNearNames) {
    EmptyV3Creator creator("CircPadPlugin");
    add(creator);
    EXPECT_EQ(registry.getCreator("CircPadPlugn", "1"), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[registry] no creator for plugin CircPadPlugn (version 1); near names: "
                          "CircPadPlugin."));
    EXPECT_EQ(registry.getCreator("circpadplugin", "1"), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("near names: CircPadPlugin"));
    EXPECT_EQ(registry.getCreator("Utterly different", "1"), nullptr);
    EXPECT_THAT(log.takeErrors(), testing::Not(HasSubstr("near names")));
    EXPECT_EQ(registry.getCreator("CircPadPlugin", "7"), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("registered under that name: CircPadPlugin (version 1)"));
    EXPECT_EQ(registry.getCreator(nullptr, nullptr, nullptr), nullptr);
    registry.deregisterCreator(creator);
}

TEST_F(Registry, CreatorWithoutNameOrVersion) {
    EmptyV3Creator nameless("");
    EXPECT_FALSE(add(nameless));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a name and a version"));
    EmptyV2Creator versionless("Named", "");
    EXPECT_FALSE(add(base(versionless)));
    EXPECT_THAT(log.takeErrors(), HasSubstr("creator 'Named', version ''"));
}

TEST_F(Registry, CreatorOfUnknownKind) {
    class Unknown final : public IPluginCreatorInterface {
    public:
        InterfaceInfo getInterfaceInfo() const noexcept override { return {"SOMETHING", 1, 0}; }
    } unknown;
    EXPECT_FALSE(add(unknown));
    EXPECT_THAT(log.takeErrors(), HasSubstr("creator of interface kind 'SOMETHING': expected "
                                            "IPluginCreator, IPluginCreatorV3One or "
                                            "IPluginCreatorV3Quick"));
}

TEST_F(Registry, ErrorRecorder) {
    RecordingRecorder recorder;
    registry.setErrorRecorder(&recorder);
    EXPECT_EQ(registry.getCreator("Missing", "1"), nullptr);
    EXPECT_EQ(recorder.errors.size(), 1U);
    registry.setErrorRecorder(nullptr);
    EXPECT_EQ(recorder.references, 0);
}

class CountedResource final : public IPluginResource {
public:
    explicit CountedResource(int& alive) : alive_(alive) { ++alive_; }
    ~CountedResource() noexcept override { --alive_; }
    int32_t release() noexcept override { return code; }
    IPluginResource* clone() noexcept override {
        return code < 0 ? nullptr : new CountedResource(alive_);
    }
    int32_t code = 0;

private:
    int& alive_;
};

TEST_F(Registry, Resources) {
    int alive = 0;
    {
        CountedResource mine(alive);
        auto* const kept =
            static_cast<CountedResource*>(registry.acquirePluginResource("key", &mine));
        ASSERT_NE(kept, nullptr);
        EXPECT_EQ(registry.acquirePluginResource("key", nullptr), kept);
        EXPECT_EQ(builder->getPluginRegistry().acquirePluginResource("key", nullptr), nullptr)
            << "each registry has keys of its own";
        EXPECT_THAT(log.takeErrors(), HasSubstr("[registry] plugin resource 'key': expected a "
                                                "resource for a new key, got null."));
        EXPECT_EQ(registry.releasePluginResource("key"), 0);
        EXPECT_EQ(alive, 2);
        kept->code = 3;
        EXPECT_EQ(registry.releasePluginResource("key"), 3) << "what release() returned";
        EXPECT_THAT(log.takeErrors(),
                    HasSubstr("plugin resource 'key', release: expected 0, returned 3"));
        EXPECT_EQ(registry.releasePluginResource("key"), -1);
        EXPECT_THAT(log.takeErrors(), HasSubstr("plugin resource to release: expected the key of "
                                                "one that is in use, got 'key'"));
        EXPECT_EQ(registry.releasePluginResource(nullptr), -1);
        mine.code = -1;
        EXPECT_EQ(registry.acquirePluginResource("key", &mine), nullptr);
        EXPECT_THAT(log.takeErrors(), HasSubstr("clone: expected a new object, returned null"));
        EXPECT_EQ(registry.acquirePluginResource(nullptr, &mine), nullptr);
        EXPECT_THAT(log.takeErrors(), HasSubstr("plugin resource: expected a key"));
        mine.code = 0;
        builder->getPluginRegistry().acquirePluginResource("left", &mine);
        EXPECT_EQ(alive, 2);
        builder.reset();
        EXPECT_EQ(alive, 1) << "gone with the builder's registry";
    }
    EXPECT_EQ(alive, 0);
}

TEST_F(Registry, LibraryWithStaticRegistration) {
    void* const handle = registry.loadLibrary(library("static").c_str());
    ASSERT_NE(handle, nullptr) << log.errors();
    EXPECT_NE(registry.getCreator("StaticV2", "3"), nullptr);
    EXPECT_NE(registry.getCreator("StaticV3", "1", "library"), nullptr);
    registry.deregisterLibrary(handle);
    EXPECT_EQ(registry.getCreator("StaticV2", "3"), nullptr);
    EXPECT_EQ(registry.getCreator("StaticV3", "1", "library"), nullptr);
}

TEST_F(Registry, LibraryLoadedTwice) {
    void* const first = registry.loadLibrary(library("static").c_str());
    ASSERT_NE(first, nullptr) << log.errors();
    void* const second = registry.loadLibrary(library("static").c_str());
    EXPECT_EQ(first, second) << log.errors();
    registry.deregisterLibrary(first);
    EXPECT_NE(registry.getCreator("StaticV2", "3"), nullptr) << "the second user needs it";
    registry.deregisterLibrary(second);
    EXPECT_EQ(registry.getCreator("StaticV2", "3"), nullptr);
}

TEST_F(Registry, LibraryLoadedAgain) {
    for (char const* kind : {"static", "exported", "static", "exported"}) {
        void* const handle = registry.loadLibrary(library(kind).c_str());
        ASSERT_NE(handle, nullptr) << kind << ": " << log.errors();
        registry.deregisterLibrary(handle);
    }
}

TEST_F(Registry, LibraryWithExportedCreators) {
    void* const handle = registry.loadLibrary(library("exported").c_str());
    ASSERT_NE(handle, nullptr) << log.errors();
    EXPECT_TRUE(log.has("the library has a logger"));
    EXPECT_NE(registry.getCreator("ExportedV3", "1"), nullptr);
    registry.deregisterLibrary(handle);
    EXPECT_EQ(registry.getCreator("ExportedV3", "1"), nullptr);
}

TEST_F(Registry, LibrariesThatCannotBeLoaded) {
    EXPECT_EQ(registry.loadLibrary("/nowhere/libnothing.so"), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[registry] plugin library '/nowhere/libnothing.so': "));
    EXPECT_EQ(registry.loadLibrary(nullptr), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("plugin library: expected a path, got null"));
    EXPECT_EQ(registry.loadLibrary(""), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("plugin library: expected a path, got an empty text"));
    EXPECT_EQ(registry.loadLibrary(library("none").c_str()), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("has no plugin creators. Use REGISTER_TENSORRT_PLUGIN "
                                            "or export getCreators()"));
    registry.deregisterLibrary(nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected the handle that loading it gave, got"));
}

/// Without a builder or a runtime.
TEST(RegistryAlone, StandardErrorGetsWhatNobodyElseGets) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(getPluginRegistry()->loadLibrary("./nope.so"), nullptr);
    EmptyV3Creator first("Alone");
    EmptyV3Creator second("Alone");
    IPluginCreatorInterface& present = first;
    EXPECT_TRUE(getPluginRegistry()->registerCreator(present, ""));
    EXPECT_FALSE(
        getPluginRegistry()->registerCreator(static_cast<IPluginCreatorInterface&>(second), ""));
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(present));
    std::string const said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("[TRT] [E] [registry] plugin library './nope.so'"));
    EXPECT_THAT(said, HasSubstr("[TRT] [W] [registry] a creator for plugin Alone (version 1) is "
                                "registered already; the new one is not used. Deregister"));
}

TEST(RegistryAlone, TheLoggerOfInitLibNvInferPlugins) {
    RecordingLogger log;
    testing::internal::CaptureStderr();
    EXPECT_TRUE(initLibNvInferPlugins(&log, ""));
    EXPECT_EQ(getLogger(), &log);
    EXPECT_EQ(getPluginRegistry()->loadLibrary("./nope.so"), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[registry] plugin library './nope.so'"));
    EXPECT_TRUE(initLibNvInferPlugins(nullptr, ""));
    EXPECT_EQ(&kiln::defaultLogger(), &log) << "null leaves it";
    kiln::setDefaultLogger(nullptr);
    EXPECT_EQ(getLogger(), nullptr);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(RegistryAlone, ALivingBuilderComesBeforeTheDefaultLogger) {
    RecordingLogger log;
    RecordingLogger otherwise;
    kiln::setDefaultLogger(&otherwise);
    std::unique_ptr<IRuntime> runtime(createInferRuntime(log));
    EXPECT_EQ(getPluginRegistry()->loadLibrary("./nope.so"), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("./nope.so"));
    runtime.reset();
    EXPECT_EQ(getPluginRegistry()->loadLibrary("./nope.so"), nullptr);
    EXPECT_THAT(otherwise.takeErrors(), HasSubstr("./nope.so"));
    kiln::setDefaultLogger(nullptr);
}

} // namespace
} // namespace kiln::test
