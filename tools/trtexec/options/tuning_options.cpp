// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"
#include "options/values.h"

namespace kiln::trtexec {
namespace {

template <std::optional<int32_t> BuildOptions::* member, int32_t least>
void readInto(char const* name, Options& options, std::string const& value) {
    options.build.*member = static_cast<int32_t>(parseCountUpTo(name, value, least, INT32_MAX));
}

} // namespace

OptionGroup tuningOptions() {
    using enum Effect;
    return {
        "Tuning",
        {
            {"--timingCacheFile", "=FILE", kWorks,
             "Take measurements of kernels from this file, and write it with what was added.",
             [](Options& o, std::string const& value) { o.build.timingCacheFile = value; }},
            {"--noBuilderCache", "", kWorks, "Keep no measurements, not even within one build.",
             [](Options& o, std::string const&) { o.build.noTimingCache = true; }},
            {"--errorOnTimingCacheMiss", "", kWorks,
             "Fail the build when a measurement is not in the file.",
             [](Options& o, std::string const&) { o.build.errorOnCacheMiss = true; }},
            {"--builderOptimizationLevel", "=N", kWorks,
             "0 (quick build) to 5 (widest search); default 3.",
             [](Options& o, std::string const& value) {
                 o.build.optimizationLevel = static_cast<int32_t>(
                     parseCountUpTo("--builderOptimizationLevel", value, 0, 5));
             }},
            {"--maxTactics,--maxNbTactics", "=N", kWorks,
             "Time at most this many candidates for one layer.",
             [](Options& o, std::string const& value) {
                 readInto<&BuildOptions::maxTactics, 1>("--maxTactics", o, value);
             }},
            {"--avgTiming", "=N", kWorks, "Runs that one measurement takes the average of.",
             [](Options& o, std::string const& value) {
                 readInto<&BuildOptions::avgTiming, 1>("--avgTiming", o, value);
             }},
            {"--maxAuxStreams", "=N", kNote, "steps of an engine run one after another", nullptr},
            {"--noCompilationCache", "", kNote,
             "code compiled in one process is not kept for another", nullptr},
            {"--tacticSources", "=SPEC", kNote,
             "kernels are chosen by their times, whatever they are made of", nullptr},
            {"--heuristic", "", kNote,
             "it is gone since TensorRT 10; --builderOptimizationLevel=2 builds quickly", nullptr},
            {"--tilingOptimizationLevel", "=N", kNote, "kernels choose their own blocks", nullptr},
            {"--l2LimitForTiling", "=N", kNote, "kernels choose their own blocks", nullptr},
            {"--remoteAutoTuningConfig", "=CONFIG", kRefused,
             "Kiln measures kernels on this machine only", nullptr},
            {"--dumpKernelText", "", kNote, "the texts of kernels are the same for all engines",
             nullptr},
            {"--monitorMemory", "", kNote, "the system's own tools show the memory of a process",
             nullptr},
        }};
}

} // namespace kiln::trtexec
