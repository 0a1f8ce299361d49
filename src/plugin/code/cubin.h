// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/code/code_info.h"
#include "plugin/code/elf.h"

namespace kiln::plugin {

/// Reads machine code for a GPU: an ELF file of the machine CUDA. Errors as of inspectCode().
CodeInfo inspectCubin(ElfFile const& file);

} // namespace kiln::plugin
