// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/rewriter.h"

namespace kiln::compiler {

/// The name of the format, or of the target's own layout.
std::string formatName(target::Backend const& backend, target::OperandType const& type);

/// A step that copies value `from` to value `to`. It converts the elements if the types differ, or
/// reorders them if the formats differ, never both.
Step makeCast(Program const& program, ValueId from, ValueId to);

/// Gives a step a copy of one of its operands, made right in front of it; `suffix` names the copy.
ValueId copyOperand(Rewriter& rewriter, StepId step, std::size_t operand, std::string_view suffix);

/// The elements of a floating-point constant, converted to another such type.
Bytes convertElements(ByteView data, DataType from, DataType to);

} // namespace kiln::compiler
