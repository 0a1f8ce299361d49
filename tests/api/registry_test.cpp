// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin registry: creators, namespaces, misses, libraries.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/empty_creator.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

/// The process-wide logger is that of the first builder or runtime, so one must be there.
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
        return std::string(KILN_TEST_BUILD) + "/tests/kiln_test_plugins_" + kind + ".so";
    }

    IPluginRegistry& registry = *getPluginRegistry();
};

TEST_F(Registry, IsTheSameEverywhere) {
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    EXPECT_EQ(&runtime->getPluginRegistry(), &registry);
    EXPECT_EQ(&builder->getPluginRegistry(), &registry);
    EXPECT_EQ(getBuilderPluginRegistry(EngineCapability::kSTANDARD), &registry);
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
                                            "IPluginCreator or IPluginCreatorV3One"));
}

TEST_F(Registry, ErrorRecorder) {
    RecordingRecorder recorder;
    registry.setErrorRecorder(&recorder);
    EXPECT_EQ(registry.getCreator("Missing", "1"), nullptr);
    EXPECT_EQ(recorder.errors.size(), 1U);
    registry.setErrorRecorder(nullptr);
    EXPECT_EQ(recorder.references, 0);
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
    EXPECT_THAT(log.takeErrors(), HasSubstr("loadLibrary: expected a path, got null"));
    EXPECT_EQ(registry.loadLibrary(library("none").c_str()), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("has no plugin creators. Use REGISTER_TENSORRT_PLUGIN "
                                            "or export getCreators()"));
    registry.deregisterLibrary(nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a handle from loadLibrary, got"));
}

} // namespace
} // namespace kiln::test
