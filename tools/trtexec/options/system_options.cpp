// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "options/option_table.h"

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
            {"--ignoreParsedPluginLibs", "", kNote,
             "models do not name plugin libraries that would be loaded", nullptr},
            {"--device", "=N", kWorks, "Accepted for the sake of scripts; must be 0.",
             [](Options&, std::string const& value) {
                 if (value != "0") {
                     fail("[options] --device: expected 0, got '{}'. The cpu target is one device",
                          value);
                 }
             }},
            {"--useDLACore", "=N", kRefused, "Kiln does not support DLA", nullptr},
            {"-h,--help", "", kWorks, "Print this text.", nullptr},
        }};
}

} // namespace kiln::trtexec
