// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "plan/document.h"

namespace kiln::plan {

/// Everything that must hold between the parts of a document, so that whoever uses it can index
/// without looking. The reader asks it of files (kind kCorruptData), the writer of the compiler
/// (kInternal).
void checkDocument(Document const& document, ErrorKind kind);

// Its parts, in the order in which they rely on each other.
void checkShapes(Document const& document, ErrorKind kind);
void checkExprs(Document const& document, ErrorKind kind);
void checkTensors(Document const& document, ErrorKind kind);
void checkProfiles(Document const& document, ErrorKind kind);
void checkPlugins(Document const& document, ErrorKind kind);
void checkCode(Document const& document, ErrorKind kind);
void checkLibraries(Document const& document, ErrorKind kind);
void checkSources(Document const& document, ErrorKind kind);
void checkSteps(Document const& document, ErrorKind kind);

/// Whether [offset, offset + bytes) starts at a multiple of kAlignment and ends within `limit`.
bool fitsAligned(uint64_t offset, uint64_t bytes, uint64_t limit) noexcept;

/// Bytes of a linear tensor; false when the number passes 64 bits or an extent is negative.
bool linearBytes(DataType type, Dims const& dims, uint64_t& bytes) noexcept;

/// The constant extents of a tensor whose shape has been checked, -1 elsewhere.
Dims constantDims(Document const& document, TensorRecord const& tensor);

} // namespace kiln::plan
