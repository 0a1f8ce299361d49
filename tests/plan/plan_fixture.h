// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "plan/document.h"
#include "plan/header.h"

namespace kiln::plan::testing {

/// A document that uses every field: dynamic and fixed inputs, two profiles, constants (two of
/// them equal, one empty), kernels with code, plugins of both styles.
Document richDocument();

/// The least that is worth a plan: one fixed input, one kernel, one output, one constant.
Document smallDocument();

/// Every field as text, so that two documents can be compared and differences read.
std::string describe(Document const& document);

/// Where a section of a plan lies. The plan may be damaged, only its section table may not.
SectionEntry sectionOf(Bytes const& plan, SectionKind kind);

/// Gives sections and header the hashes of what they hold now, so that damage gets past them.
/// Leaves plans alone whose section table does not fit their length.
void rehash(Bytes& plan);

/// A plan with other metadata, correct hashes included; code, states and weights stay.
Bytes withMetadata(Bytes const& plan, ByteView metadata);

/// Message of the error that read() throws; empty when it throws none.
std::string readError(ByteView plan);

} // namespace kiln::plan::testing
