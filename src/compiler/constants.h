// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// Whether a value is a constant of float32, float16 or bfloat16.
bool isFloatConstant(Value const& value);

/// The elements of a floating-point constant as float32, which holds them all exactly.
std::vector<float> floatsOf(Value const& constant);

/// The elements of a floating-point constant in another such type. Converts each constant once.
ConstantBytes const& constantAs(Program const& program, ValueId id, DataType type);

/// A new constant with these elements, rounded to `type`.
Value floatConstant(Program& program, std::string_view name, DataType type, Dims const& dims,
                    std::vector<float> const& elements);

/// The element of a constant with one element; nullopt for other values. Also for int32 and int64.
std::optional<double> scalarOf(Program const& program, ValueId value);

/// The elements of a constant of int32 or int64; nullopt for other values.
std::optional<std::vector<int64_t>> integersOf(Value const& value);

/// The elements of a host tensor, or of a constant of int32 or int64, as expressions; nullopt for
/// other values.
std::optional<std::vector<graph::ExprRef>> expressionsOf(Program const& program, ValueId value);

/// Runs an operation on constants, with the kernels of the target cpu. nullopt if there is none, or
/// if the result is unknown before the engine runs.
std::optional<std::vector<Bytes>> evaluateOnHost(Program const& program, Step const& step);

} // namespace kiln::compiler
