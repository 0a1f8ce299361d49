// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace kiln::trtexec {

/// What becomes of an option.
enum class Effect {
    kWorks,
    kNote,    ///< accepted; it only tunes what Kiln does not have, and the run says so
    kCuda,    ///< works on the cuda target; on cpu it is accepted, and the run says so
    kRefused, ///< it would change results, or promise what Kiln lacks: the run ends with the reason
};

/// One option: parsing, --help and docs/trtexec.md all follow from this.
struct OptionEntry {
    char const* names; ///< "--versionCompatible,--vc"
    char const* form;  ///< "=FILE"; "" for a flag
    Effect effect;
    char const* help; ///< what it does; for kNote and kRefused: why it does not
    /// Stores the value ("" for a flag); throws a Failure when it does not like it. Null unless
    /// there is something to store or to check.
    void (*read)(Options& options, std::string const& value);
    bool repeats = false;        ///< may be given several times
    char const* onCpu = nullptr; ///< of kCuda: why it has no effect there
};

struct OptionGroup {
    char const* name;
    std::vector<OptionEntry> entries;
};

OptionGroup modelOptions();
OptionGroup buildOptions();
OptionGroup precisionOptions();
OptionGroup planOptions();
OptionGroup tuningOptions();
OptionGroup inferenceOptions();
OptionGroup reportingOptions();
OptionGroup systemOptions();

/// All of them, in the order of --help.
std::vector<OptionGroup> const& optionGroups();

/// The first of an entry's names.
std::string firstName(OptionEntry const& entry);

} // namespace kiln::trtexec
