// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "options/option_table.h"
#include "options/values.h"

namespace kiln::trtexec {

OptionGroup planOptions() {
    using enum Effect;
    return {
        "Plan",
        {
            {"--setPluginsToSerialize", "=FILE", kWorks,
             "Put this plugin library (.so) or Python file (.py) into the plan. It is loaded from "
             "there only with --allowHostCode, the Python file only with --allowPythonSource. May "
             "be given several times.",
             [](Options& o, std::string const& value) {
                 o.system.pluginsToSerialize.push_back(value);
             },
             true},
            {"--allowHostCode", "", kWorks,
             "Let a plan run the machine code that it brings along: plugin libraries, and plugins "
             "that were compiled into it. Do so for plans that you trust as you trust a program.",
             [](Options& o, std::string const&) { o.system.allowHostCode = true; }},
            {"--allowPythonSource", "", kWorks,
             "Let a plan run the Python files that it brings along, where it needs a plugin of "
             "them. Do so for plans that you trust as you trust a program.",
             [](Options& o, std::string const&) { o.system.allowPythonSource = true; }},
            {"--useRuntime", "=KIND", kWorks, "full: Kiln has this runtime alone.",
             [](Options&, std::string const& value) {
                 if (value != "full") {
                     fail("[options] --useRuntime: expected full, got '{}'. Kiln has no lean and "
                          "no dispatch runtime; every runtime opens every plan",
                          value);
                 }
             }},
            {"--tempdir", "=FOLDER", kWorks, "Folder for files that must exist for a moment.",
             [](Options& o, std::string const& value) { o.system.temporaryFolder = value; }},
            {"--tempfileControls", "=SPEC", kWorks,
             "Which files host code may be unpacked to: in_memory:allow|deny, "
             "temporary:allow|deny (default: both allowed).",
             [](Options& o, std::string const& value) {
                 o.system.tempfileControls = parseTempfileControls("--tempfileControls", value);
             }},
            {"--leanDLLPath", "=FILE", kRefused, "Kiln has no lean runtime", nullptr},
            {"--excludeLeanRuntime", "", kNote, "plans never hold a runtime", nullptr},
            {"--versionCompatible,--vc", "", kWorks,
             "Later versions of Kiln with the same major version open the plan.",
             [](Options& o, std::string const&) { o.build.versionCompatible = true; }},
            {"--refit", "", kWorks, "The engine takes new weights.",
             [](Options& o, std::string const&) { o.build.refit = true; }},
            {"--stripWeights,--weightless", "", kWorks,
             "The plan omits weights, which --refitFromOnnx supplies.",
             [](Options& o, std::string const&) { o.build.stripWeights = true; }},
            {"--stripAllWeights", "", kWorks, "--refit and --stripWeights.",
             [](Options& o, std::string const&) { o.build.refit = o.build.stripWeights = true; }},
            {"--allowWeightStreaming", "", kWorks,
             "Let --weightStreamingBudget keep weights in host memory. The network must be "
             "strongly "
             "typed (--stronglyTyped).",
             [](Options& o, std::string const&) { o.build.weightStreaming = true; }},
            {"--hardwareCompatibilityLevel", "=MODE", kWorks,
             "GPUs that the plan is for, beside that of the build: none (default), ampere+ (of "
             "compute capability 8.0 or later), sameComputeCapability.",
             [](Options& o, std::string const& value) {
                 o.build.compatibility = parseCompatibility("--hardwareCompatibilityLevel", value);
             }},
            {"--runtimePlatform", "=PLATFORM", kWorks,
             "sameAsBuild. Plans for other systems are refused.",
             [](Options&, std::string const& value) {
                 if (value != "sameAsBuild" && value != "SameAsBuild") {
                     fail("[options] --runtimePlatform: expected sameAsBuild, got '{}'. Kiln "
                          "builds for Linux, on the system that shall run it",
                          value);
                 }
             }},
        }};
}

} // namespace kiln::trtexec
