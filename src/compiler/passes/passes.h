// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/kernel_choice.h"
#include "compiler/program.h"

namespace kiln::compiler {

// The passes, in the order in which compile() runs them. Each is one file and throws Error.

/// Checks the user's network and copies what its outputs need into the program: layers without use
/// are left out, weights become constants, plugins are cloned.
void importNetwork(graph::Network& network, Program& program);

/// Checks the profiles against the dynamic inputs and fills the shapes of
/// Program::united and Program::profiles.
void applyProfiles(graph::Network const& network, Program& program);

/// Checks the profiles against the inputs that are asked by value and fills the values of
/// Program::united and Program::profiles.
void applyValues(Program& program);

/// Gives plugin outputs of unknown size room in the arena, with copies to the user's outputs.
void stageOutputs(Program& program);

/// Lets plugin outputs that are aliases use the memory of their input, with copies where others
/// still need it.
void shareMemory(Program& program);

/// Chooses the element type of every value: as the layers say in a strongly typed network; in a
/// weakly typed one among float and half, by time, casts included. Plugins are asked which
/// combinations they take, and each trial follows the documented life cycle.
void assignTypes(Program& program, KernelChooser& chooser);

/// Puts casts where a step wants another type than its input has; constants are converted here.
void insertCasts(Program& program);

/// Leaves out identities beside a change of format.
void foldIdentities(Program& program);

/// Makes one slice of concatenations whose parts are slices of one tensor that follow each other
/// around its end, as in circular padding; leaves out what is not needed any more.
void foldSlices(Program& program);

/// Chooses a kernel for every step that is no plugin.
void chooseKernels(Program& program, KernelChooser& chooser);

/// Writes the program as a document, with a memory plan that lets tensors share the arena.
plan::Document emitDocument(Program& program);

} // namespace kiln::compiler
