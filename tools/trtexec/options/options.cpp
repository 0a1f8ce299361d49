// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/options.h"

#include <algorithm>

#include "failure.h"
#include "options/command_line.h"

namespace kiln::trtexec {
namespace {

bool hasShapes(BuildOptions const& build) {
    return std::any_of(build.profiles.begin(), build.profiles.end(), [](ProfileShapes const& p) {
        return !p.min.empty() || !p.opt.empty() || !p.max.empty();
    });
}

/// The first given option that applies only to builds; "" if there is none.
char const* firstBuildOption(Options const& options) {
    BuildOptions const& build = options.build;
    struct Given {
        bool given;
        char const* name;
    };
    for (Given const& option : {
             Given{!build.saveEngine.empty(), "--saveEngine"},
             Given{hasShapes(build), "--minShapes, --optShapes or --maxShapes"},
             Given{build.fp16, build.bf16 ? "--fp16, --bf16 or --best" : "--fp16"},
             Given{build.bf16, "--bf16"},
             Given{build.stronglyTyped, "--stronglyTyped"},
             Given{build.layers.setsTypes(), "--layerPrecisions or --layerOutputTypes"},
             Given{build.directIO, "--directIO"},
             Given{!build.inputFormats.empty(), "--inputIOFormats"},
             Given{!build.outputFormats.empty(), "--outputIOFormats"},
             Given{!build.debugTensors.empty(), "--markDebug"},
             Given{build.markUnfusedTensors, "--markUnfusedTensorsAsDebugTensors"},
             Given{!build.timingCacheFile.empty(), "--timingCacheFile"},
             Given{!options.system.pluginsToSerialize.empty(), "--setPluginsToSerialize"},
         }) {
        if (option.given) {
            return option.name;
        }
    }
    return "";
}

/// Refuses contradictory or incomplete combinations.
void check(Options const& options) {
    ModelOptions const& model = options.model;
    BuildOptions const& build = options.build;
    if (model.onnx.empty() && model.loadEngine.empty()) {
        fail("[options] expected a model, got none. Pass --onnx=FILE or --loadEngine=FILE");
    }
    if (!model.onnx.empty() && !model.loadEngine.empty()) {
        fail("[options] expected --onnx or --loadEngine, got both. Leave one out");
    }
    if (model.planVersionOnly && model.loadEngine.empty()) {
        fail("[options] --getPlanVersionOnly: expected a plan, got none. Pass --loadEngine=FILE");
    }
    if (char const* const name = firstBuildOption(options);
        !model.loadEngine.empty() && *name != '\0') {
        fail("[options] --loadEngine opens a plan as it was built. Leave out {}, or build with "
             "--onnx",
             name);
    }
    if ((build.fp16 || build.bf16) && build.stronglyTyped) {
        fail("[options] --stronglyTyped takes every type from the model, {} lets the builder "
             "choose. Leave one out",
             !build.fp16  ? "--bf16"
             : build.bf16 ? "--best"
                          : "--fp16");
    }
    if (build.noTimingCache && (!build.timingCacheFile.empty() || build.errorOnCacheMiss)) {
        fail("[options] --noBuilderCache keeps no measurements. Leave it out, or "
             "--timingCacheFile and --errorOnTimingCacheMiss");
    }
    auto const profiles = static_cast<int32_t>(build.profiles.size());
    if (!model.onnx.empty() && options.inference.profile >= profiles) {
        fail(
            "[options] --useProfile: expected 0 to {}, got {}. Give its shapes behind --profile={}",
            profiles - 1, options.inference.profile, options.inference.profile);
    }
}

} // namespace

Options parseOptions(std::vector<std::string> const& arguments) {
    Options options;
    readCommandLine(arguments, options);
    check(options);
    // By default, a newly built engine runs with the opt shapes of its profile.
    if (options.model.loadEngine.empty()) {
        auto const index = static_cast<size_t>(options.inference.profile);
        RangeMap const ranges = profileRanges(options).at(index);
        for (auto const& [name, range] : ranges) {
            options.inference.shapes.try_emplace(name, range.opt);
        }
    }
    return options;
}

std::vector<RangeMap> profileRanges(Options const& options) {
    std::vector<RangeMap> ranges;
    for (ProfileShapes const& profile : options.build.profiles) {
        ranges.push_back(
            completeRanges(profile.min, profile.opt, profile.max, options.inference.shapes));
    }
    return ranges;
}

void selectProfile(Options& options, size_t index) {
    std::vector<ProfileShapes>& profiles = options.build.profiles;
    if (index > profiles.size()) {
        fail("[options] --profile: expected 0 to {}, got {}. Profiles are numbered without gaps",
             profiles.size(), index);
    }
    if (index == profiles.size()) {
        profiles.emplace_back();
    }
    options.build.currentProfile = index;
}

} // namespace kiln::trtexec
