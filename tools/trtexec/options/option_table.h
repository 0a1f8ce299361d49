// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace kiln::trtexec {

/// How an option is handled.
enum class Effect {
    kWorks,
    kNote,    ///< accepted without effect, with a note; it only tunes what Kiln lacks
    kCuda,    ///< works on cuda; on cpu accepted without effect, with a note
    kRefused, ///< fails with the reason: it would change results or Kiln lacks the feature
};

/// One option: the source for parsing, --help and docs/trtexec.md.
struct OptionEntry {
    char const* names; ///< "--versionCompatible,--vc"
    char const* form;  ///< "=FILE"; "" for a flag
    Effect effect;
    char const* help; ///< what it does; for kNote and kRefused: why it has no effect
    /// Stores the value ("" for a flag); throws a Failure if it is invalid. Null if there is
    /// nothing to store or check.
    void (*read)(Options& options, std::string const& value);
    bool repeats = false;        ///< may be given several times
    char const* onCpu = nullptr; ///< for kCuda: why it has no effect on cpu
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

/// All option groups, in the order of --help.
std::vector<OptionGroup> const& optionGroups();

/// The first name of an entry.
std::string firstName(OptionEntry const& entry);

} // namespace kiln::trtexec
