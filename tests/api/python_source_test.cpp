// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Python source in the plan, without Python: a stand-in for the runner loads a library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kiln/plugin_error.h>
#include <kiln/python_source.h>

#include "support/library_session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;
using testing::StartsWith;

constexpr PythonSourcePlugin kPlugin{"StaticDouble", "1", ""};

std::string lastRun; ///< name and text of the module that ran last
void* library = nullptr;

bool runInPlace(PythonSource const& source) {
    lastRun = std::string(source.name) + ": " + std::string(source.text, source.size);
    library = getPluginRegistry()->loadLibrary(libraryPath("works").c_str());
    return true;
}

bool failInPlace(PythonSource const&) {
    kilnReportPluginError("Traceback: of the module");
    return false;
}

class PythonSources : public testing::Test, protected Session {
protected:
    PythonSources() {
        runInPlace({"", "", 0, nullptr, 0});
        lastRun.clear();
        EXPECT_TRUE(addFromRegistry(*this, registry, "StaticDouble"));
        EXPECT_TRUE(addPythonSource(*config, source)) << log.errors();
        plan = build();
        EXPECT_NE(plan, nullptr) << log.errors();
        network.reset();
        runtime.reset(createInferRuntime(log));
    }
    ~PythonSources() override {
        forget();
        setPythonSourceRunner(nullptr);
        setPythonSourceAllowedByDefault(false);
    }
    void forget() {
        if (library != nullptr) {
            registry.deregisterLibrary(library);
            library = nullptr;
        }
    }
    std::unique_ptr<ICudaEngine> open() {
        return std::unique_ptr<ICudaEngine>(
            runtime->deserializeCudaEngine(plan->data(), plan->size()));
    }
    bool runs() {
        std::unique_ptr<ICudaEngine> const engine = open();
        if (engine == nullptr) {
            return false;
        }
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        return doubles(*context);
    }

    IPluginRegistry& registry = *getPluginRegistry();
    PythonSource source{"doubles", "import x", 8, &kPlugin, 1};
    std::unique_ptr<IHostMemory> plan;
    std::unique_ptr<IRuntime> runtime;
};

TEST_F(PythonSources, RunWhereTheyAreAllowedAndNeeded) {
    forget();
    setPythonSourceRunner(&runInPlace);
    EXPECT_FALSE(getPythonSourceAllowed(*runtime));
    EXPECT_EQ(open(), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[plan] layer 'custom' needs plugin StaticDouble (version 1) "
                          "(IPluginV3): no creator for plugin StaticDouble (version 1)"));
    EXPECT_EQ(lastRun, "");
    setPythonSourceAllowed(*runtime, true);
    EXPECT_TRUE(getPythonSourceAllowed(*runtime));
    EXPECT_TRUE(runs()) << log.errors();
    EXPECT_EQ(lastRun, "doubles: import x");
}

TEST_F(PythonSources, DoNotRunForPluginsThatAreRegistered) {
    setPythonSourceRunner(&runInPlace);
    EXPECT_TRUE(runs()) << log.errors();
    setPythonSourceAllowed(*runtime, true);
    EXPECT_TRUE(runs()) << log.errors();
    EXPECT_EQ(lastRun, "");
}

TEST_F(PythonSources, MayBeAllowedForAllRuntimes) {
    forget();
    setPythonSourceRunner(&runInPlace);
    setPythonSourceAllowedByDefault(true);
    EXPECT_FALSE(getPythonSourceAllowed(*runtime)) << "it was made before";
    runtime.reset(createInferRuntime(log));
    EXPECT_TRUE(runs()) << log.errors();
}

TEST_F(PythonSources, SayThatNothingRunsPython) {
    forget();
    setPythonSourceRunner(nullptr);
    setPythonSourceAllowed(*runtime, true);
    EXPECT_EQ(open(), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("whose Python source 'doubles' the plan carries: expected a process that "
                          "runs Python, got one that does not. Import kiln in Python"));
}

TEST_F(PythonSources, ThatFailSayWhy) {
    forget();
    setPythonSourceRunner(&failInPlace);
    setPythonSourceAllowed(*runtime, true);
    EXPECT_EQ(open(), nullptr);
    EXPECT_THAT(log.takeErrors(), StartsWith("[plan] Python source 'doubles' of the plan failed:\n"
                                             "Traceback: of the module (plan-"));
}

TEST_F(PythonSources, AreCheckedWhenTheyAreAdded) {
    EXPECT_TRUE(addPythonSource(*config, source)) << "the same is one";
    source.text = "import y";
    EXPECT_FALSE(addPythonSource(*config, source));
    EXPECT_THAT(log.takeErrors(), HasSubstr("[config] Python source 'doubles': expected one text "
                                            "for each name, got another. Rename"));
    for (PythonSource const& bad :
         {PythonSource{nullptr, "x", 1, &kPlugin, 1}, PythonSource{"a", nullptr, 1, &kPlugin, 1},
          PythonSource{"a", "x", 0, &kPlugin, 1}, PythonSource{"a", "x", 1, nullptr, 1}}) {
        EXPECT_FALSE(addPythonSource(*config, bad));
        EXPECT_THAT(log.takeErrors(), HasSubstr("expected a name, a text and a plugin or more"));
    }
}

} // namespace
} // namespace kiln::test
