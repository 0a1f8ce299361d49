// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"

namespace kiln::trtexec {

std::vector<OptionGroup> const& optionGroups() {
    static std::vector<OptionGroup> const groups{
        modelOptions(),  buildOptions(),     precisionOptions(), planOptions(),
        tuningOptions(), inferenceOptions(), reportingOptions(), systemOptions()};
    return groups;
}

std::string firstName(OptionEntry const& entry) {
    std::string const names = entry.names;
    return names.substr(0, names.find(','));
}

} // namespace kiln::trtexec
