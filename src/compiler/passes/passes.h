// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "compiler/kernel_choice.h"
#include "compiler/program.h"

namespace kiln::compiler {

// The passes. Each is one file and throws Error. compile() defines their order.

/// Checks the user's network and copies what its outputs need into the program. Unused layers are
/// left out, weights become constants, plugins are cloned.
void importNetwork(graph::Network& network, Program& program);

/// Checks the profiles against the dynamic inputs and fills the shapes of
/// Program::united and Program::profiles.
void applyProfiles(graph::Network const& network, Program& program);

/// Weakly typed networks with BuilderFlag::kINT8: puts quantizations around the operands of
/// convolutions and products whose ranges are known.
void quantizeLayers(Program& program);

/// Weakly typed networks: gives layers and outputs the types that the user wants, by casts around
/// them. Throws, or warns, where that is not possible.
void constrainTypes(Program& program);

/// Checks the profiles against the inputs whose values are needed and fills the values of
/// Program::united and Program::profiles.
void applyValues(Program& program);

/// Applies the patterns of patterns/ until none applies; with names, those alone.
void rewrite(Program& program, std::span<std::string_view const> only = {});

/// Finds the convolutions and products of dequantized operands that the target computes in
/// integers or fp8, and the products that it computes with narrow weights, and keeps the
/// dequantizations of their weights from being folded. On a GPU only where that is faster.
void keepQuantized(Program& program, KernelChooser* chooser = nullptr);

/// Folds the dequantizations that were kept, but that no region took.
void foldKept(Program& program);

/// Places plugin outputs of unknown size in the arena and copies them to the user's outputs.
void stageOutputs(Program& program);

/// Lets aliased plugin outputs use the memory of their input. Copies the input if another step
/// still needs it.
void shareMemory(Program& program);

/// Chooses the element type of every value. Strongly typed networks: as the layers declare. Weakly
/// typed networks: float, half or bfloat16, by measured time including casts. Plugins are asked
/// which combinations they accept; each trial follows the documented life cycle.
void assignTypes(Program& program, KernelChooser& chooser);

/// Inserts casts where a step needs another type than its input has. Converts constants.
void insertCasts(Program& program);

/// Removes identities next to a reformat.
void foldIdentities(Program& program);

/// Replaces concatenations of slices that follow each other around the end of one tensor, as in
/// circular padding, by one slice. Removes the steps that become unused.
void foldSlices(Program& program);

/// Replaces products with a softmax between by one Attention, where the target has a fast kernel.
void formAttention(Program& program, KernelChooser* chooser = nullptr);

/// Joins the products that give an attention its queries, keys and values to one, where that is
/// faster.
void joinProjections(Program& program, KernelChooser* chooser = nullptr);

/// Joins the two products of a gated MLP to one, where the target expects that to be faster.
void joinGates(Program& program);

/// Joins operations to regions that the target runs as one kernel.
void formRegions(Program& program);

/// Replaces reshapes by views: values that use the memory of another value.
void makeViews(Program& program);

/// Copies results of loops and branches that no step of their body writes.
void stageResults(Program& program);

/// Chooses a kernel for every step that is not a plugin.
void chooseKernels(Program& program, KernelChooser& chooser);

/// Lets kernels write their output over an input that nothing reads later.
void overwriteInputs(Program& program);

/// Writes the program as a document with a memory plan, in which tensors share the arena.
plan::Document emitDocument(Program& program);

} // namespace kiln::compiler
