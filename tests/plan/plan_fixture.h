// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "plan/document.h"
#include "plan/header.h"

namespace kiln::plan::testing {

/// A document that uses every field: dynamic and fixed inputs, two profiles, constants (two of them
/// equal, one empty), kernels with code, plugins of each style.
Document richDocument();

/// A minimal document: one fixed input, one kernel, one output, one constant, one plugin.
Document smallDocument();

/// A loop around a branch with one kernel in each body.
Document controlDocument();

/// All fields as text, to compare documents and show their differences.
std::string describe(Document const& document);

/// The table entry of a section. The plan may be damaged, but its section table may not.
SectionEntry sectionOf(Bytes const& plan, SectionKind kind);

/// Recomputes the hashes of sections and header, so that damage passes the hash checks. Skips
/// sections that lie outside of the plan.
void rehash(Bytes& plan);

/// Replaces the metadata and corrects the hashes; code, states and weights stay.
Bytes withMetadata(Bytes const& plan, ByteView metadata);

/// Message of the error that read() throws; empty when it throws none.
std::string readError(ByteView plan);

} // namespace kiln::plan::testing
