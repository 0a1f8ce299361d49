// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/program.h"

namespace kiln::compiler {

/// A step that copies value `from` to value `to`, converting the elements if their types differ, or
/// reordering them if their formats do. Not both at once.
Step makeCast(Program const& program, int32_t from, int32_t to);

/// The elements of a constant in another type.
Bytes convertElements(ByteView data, DataType from, DataType to);

} // namespace kiln::compiler
