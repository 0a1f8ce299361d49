// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"

#include <set>

#include <gmock/gmock.h>

#include "options/command_line.h"
#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using testing::HasSubstr;

/// A value that an option of this form takes.
std::string valueFor(std::string const& name, std::string const& form) {
    static std::map<std::string, std::string> const special{
        {"--inputIOFormats", "fp32:chw"},
        {"--outputIOFormats", "fp16:chw"},
        {"--memPoolSize", "workspace:1"},
        {"--profilingVerbosity", "detailed"},
        {"--hardwareCompatibilityLevel", "ampere+"},
        {"--nvtxMode", "verbose"},
        {"--preview", "-profileSharing0806"},
        {"--precisionConstraints", "none"},
        {"--layerPrecisions", "conv:fp16"},
        {"--layerOutputTypes", "conv:fp16"},
        {"--layerDeviceTypes", "conv:GPU"},
        {"--sparsity", "disable"},
        {"--useRuntime", "full"},
        {"--runtimePlatform", "sameAsBuild"},
        {"--tempfileControls", "in_memory:allow"},
        {"--allocationStrategy", "static"},
        {"--saveAllDebugTensors", "raw"},
        {"--profile", "0"},
        {"--useProfile", "0"},
        {"--device", "0"},
        {"--pluginMode", "jit"},
        {"--builderOptimizationLevel", "5"},
    };
    if (auto const found = special.find(name); found != special.end()) {
        return found->second;
    }
    if (form == "=SHAPES") {
        return "x:1x2";
    }
    return form == "=NAME:FILE,..." ? "x:f" : "3";
}

/// Calls visit(entry, name) for every name of every option.
template <typename Visit>
void forEachName(Visit visit) {
    for (OptionGroup const& group : optionGroups()) {
        for (OptionEntry const& entry : group.entries) {
            std::string const names = entry.names;
            for (size_t at = 0; at < names.size();) {
                size_t const end = std::min(names.find(',', at), names.size());
                visit(entry, names.substr(at, end - at));
                at = end + 1;
            }
        }
    }
}

TEST(OptionTable, EveryNameIsParsed) {
    size_t count = 0;
    forEachName([&](OptionEntry const& entry, std::string const& name) {
        bool const flag = *entry.form == '\0';
        std::string const argument = flag ? name : name + "=" + valueFor(name, entry.form);
        Options options;
        std::string const text = failureText([&] { readCommandLine({argument}, options); });
        switch (entry.effect) {
        case Effect::kWorks:
            EXPECT_EQ(text, "") << argument;
            EXPECT_TRUE(options.notes.empty()) << argument;
            break;
        case Effect::kNote:
            EXPECT_EQ(text, "") << argument;
            ASSERT_EQ(options.notes.size(), 1U) << argument;
            EXPECT_EQ(options.notes.front(), firstName(entry) + " has no effect: " + entry.help);
            break;
        case Effect::kCuda:
            EXPECT_EQ(text, "") << argument;
            EXPECT_TRUE(options.notes.empty()) << argument;
            ASSERT_EQ(options.cpuNotes.size(), 1U) << argument;
            EXPECT_EQ(options.cpuNotes.front(),
                      firstName(entry) + " has no effect on the cpu target: " + entry.onCpu);
            break;
        case Effect::kRefused:
            EXPECT_EQ(text, "[options] " + firstName(entry) + " is not supported: " + entry.help +
                                ". Leave it out");
            break;
        }
        ++count;
    });
    EXPECT_GT(count, 120U);
}

TEST(OptionTable, NamesAreUnique) {
    std::set<std::string> names;
    forEachName([&](OptionEntry const&, std::string const& name) {
        EXPECT_TRUE(names.insert(name).second) << name;
    });
}

TEST(OptionTable, HelpShowsEveryOption) {
    std::string const text = helpText();
    for (OptionGroup const& group : optionGroups()) {
        EXPECT_THAT(text, HasSubstr(std::string(group.name) + ":\n"));
        for (OptionEntry const& entry : group.entries) {
            EXPECT_THAT(text, HasSubstr("  " + std::string(entry.names) + entry.form));
        }
    }
}

TEST(OptionTable, AllowedWordsAreAskedFor) {
    auto const refusal = [](std::string const& argument) {
        Options options;
        return failureText([&] { readCommandLine({argument}, options); });
    };
    EXPECT_THAT(refusal("--useRuntime=lean"), HasSubstr("expected full, got 'lean'"));
    EXPECT_THAT(refusal("--sparsity=always"),
                HasSubstr("expected one of disable, enable, force, got 'always'"));
    EXPECT_THAT(refusal("--precisionConstraints=always"),
                HasSubstr("expected one of none, prefer, obey, got 'always'"));
    EXPECT_THAT(refusal("--runtimePlatform=windowsAmd64"), HasSubstr("expected sameAsBuild"));
    EXPECT_THAT(refusal("--builderOptimizationLevel=6"), HasSubstr("from 0 to 5, got '6'"));
}

TEST(Profiles, TakeTheShapesThatFollow) {
    Options const options =
        parseOptions({"--onnx=m", "--minShapes=x:1", "--maxShapes=x:4", "--profile=1",
                      "--minShapes=x:5", "--optShapes=x:6", "--maxShapes=x:8", "--useProfile=1"});
    ASSERT_EQ(options.build.profiles.size(), 2U);
    std::vector<RangeMap> const ranges = profileRanges(options);
    EXPECT_EQ(ranges.at(0).at("x").max, Extents{4});
    EXPECT_EQ(ranges.at(1).at("x").min, Extents{5});
    EXPECT_EQ(options.inference.shapes.at("x"), Extents{6});
}

TEST(Profiles, HaveNoGapsAndMustExist) {
    EXPECT_EQ(failureText([] { parseOptions({"--onnx=m", "--profile=2"}); }),
              "[options] --profile: expected 0 to 1, got 2. Profiles are numbered without gaps");
    EXPECT_EQ(failureText([] { parseOptions({"--onnx=m", "--useProfile=1"}); }),
              "[options] --useProfile: expected 0 to 0, got 1. Give its shapes behind "
              "--profile=1");
}

} // namespace
} // namespace kiln::trtexec
