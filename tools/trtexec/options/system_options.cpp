// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "options/option_table.h"
#include "options/values.h"
#include "options/words.h"

namespace kiln::trtexec {

OptionGroup systemOptions() {
    using enum Effect;
    return {
        "System",
        {
            {"--plugins,--dynamicPlugins", "=FILE", kWorks,
             "Load a plugin library (.so) or a Python file (.py). May be given several times.",
             [](Options& o, std::string const& value) { o.system.plugins.push_back(value); }, true},
            {"--staticPlugins", "=FILE", kWorks,
             "Open a plugin library that registers its creators by itself. May be given several "
             "times.",
             [](Options& o, std::string const& value) { o.system.staticPlugins.push_back(value); },
             true},
            {"--pluginMode", "=MODE", kWorks,
             "Build decorated plugins that have both as jit (just in time: calls impl) or aot "
             "(ahead of time: aot_impl, compiled into the plan). Default: what the node says; "
             "without a word there, the build fails and asks.",
             [](Options& o, std::string const& value) {
                 constexpr std::array kModes{Word{"jit", PluginMode::kJustInTime},
                                             Word{"aot", PluginMode::kAheadOfTime}};
                 o.build.pluginMode = wordIn("--pluginMode", value, kModes);
             }},
            {"--numThreads", "=N", kWorks,
             "Use at most N threads in a step on the CPU (default: KILN_NUM_THREADS, else all).",
             [](Options& o, std::string const& value) {
                 o.system.numThreads =
                     static_cast<int32_t>(parseCountUpTo("--numThreads", value, 1, 1 << 16));
             }},
            {"--ignoreParsedPluginLibs", "", kNote,
             "models do not name plugin libraries that would be loaded", nullptr},
            {"--device", "=N", kWorks,
             "Run on the GPU with this number (default 0). The cpu target is one device.",
             [](Options& o, std::string const& value) {
                 o.system.device =
                     static_cast<int32_t>(parseCountUpTo("--device", value, 0, INT32_MAX));
             }},
            {"--useDLACore", "=N", kRefused, "Kiln does not support DLA", nullptr},
            {"-h,--help", "", kWorks, "Print this text.", nullptr},
        }};
}

} // namespace kiln::trtexec
