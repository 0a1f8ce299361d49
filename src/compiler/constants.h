// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// Whether a value is a constant of float32, float16 or bfloat16.
bool isFloatConstant(Value const& value);

/// Whether a recipe depends on weights that were marked as refittable one by one: no pattern may
/// build on their elements.
bool mustStayOpen(Program const& program, target::Recipe const& recipe);

/// The elements of a floating-point constant as float32, which holds them all exactly.
std::vector<float> floatsOf(Value const& constant);

/// Whether no element of a recipe of floating-point type is infinite or NaN.
bool areFinite(target::Recipe const& recipe);

/// A floating-point constant in another such type.
target::RecipePtr constantAs(Program const& program, ValueId id, DataType type);

/// An operation on recipes, whose operands have these extents; see target::computed().
target::RecipePtr computed(graph::Op const& op, std::vector<target::RecipeOperand> operands,
                           target::OperandType type, Dims const& dims);

/// The elements of constant operands while kernels or plugins are tried, where they have to be
/// computed. Gives specs their `data`, which is valid as long as this object.
class LoadedConstants {
public:
    void load(std::span<target::OperandSpec> specs);

private:
    std::vector<target::Elements> kept_;
};

/// A new constant with these elements, rounded to `type`.
Value floatConstant(Program& program, std::string_view name, DataType type, Dims const& dims,
                    std::vector<float> const& elements);

/// Gives back the memory that mapped weights took while passes read them, and spare memory: kernels
/// are measured next, which takes most.
void releaseReadConstants(Program const& program);

/// The element of a constant with one element; nullopt for other values. Also for int32 and int64.
std::optional<double> scalarOf(Program const& program, ValueId value);

/// The elements of a constant of int32 or int64; nullopt for other values.
std::optional<std::vector<int64_t>> integersOf(Value const& value);

/// The elements of a host tensor, or of a constant of int32 or int64, as expressions; nullopt for
/// other values.
std::optional<std::vector<graph::ExprRef>> expressionsOf(Program const& program, ValueId value);

/// The recipe of output 0 of an operation on constants; null if there is none, or if the result is
/// unknown before the engine runs.
target::RecipePtr recipeOf(Program const& program, Step const& step);

/// Runs an operation on constants, of which some may be absent; nullopt likewise.
std::optional<std::vector<Bytes>> evaluateOnHost(Program const& program, Step const& step);

} // namespace kiln::compiler
