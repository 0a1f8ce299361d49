// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/code/code_info.h"
#include "plugin/code/elf.h"

namespace kiln::plugin {

/// Reads GPU machine code: an ELF file for the machine CUDA. Throws as inspectCode() does.
CodeInfo inspectCubin(ElfFile const& file);

} // namespace kiln::plugin
