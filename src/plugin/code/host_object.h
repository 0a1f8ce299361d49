// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/code/code_info.h"
#include "plugin/code/elf.h"

namespace kiln::plugin {

/// Reads a shared object for the CPU. Its entries are the functions that it exports. Throws as
/// inspectCode() does.
CodeInfo inspectHostObject(ElfFile const& file);

/// "x86-64" or "aarch64": the architecture of host code that runs in this process.
std::string_view hostArchitecture() noexcept;

} // namespace kiln::plugin
