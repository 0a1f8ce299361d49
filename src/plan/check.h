// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "plan/document.h"

namespace kiln::plan {

/// Checks all relations between the parts of a document, so that later code can use its indices
/// without checks. Throws `kind`: the reader passes kCorruptData, the writer kInternal.
void checkDocument(Document const& document, ErrorKind kind);

// The parts of checkDocument(). Later parts rely on earlier ones.
void checkShapes(Document const& document, ErrorKind kind);
void checkExprs(Document const& document, ErrorKind kind);
void checkTensors(Document const& document, ErrorKind kind);
void checkProfiles(Document const& document, ErrorKind kind);
void checkPlugins(Document const& document, ErrorKind kind);
void checkCode(Document const& document, ErrorKind kind);
void checkLibraries(Document const& document, ErrorKind kind);
void checkSources(Document const& document, ErrorKind kind);
void checkWeights(Document const& document, ErrorKind kind);
void checkSteps(Document const& document, ErrorKind kind);

// The parts of checkSteps() for a control step. `left`: number of steps that its bodies may take.
void checkBodies(Document const& document, StepRecord const& step, std::size_t left,
                 ErrorKind kind);
/// The tensors that the step and its bodies name exist.
void checkResults(Document const& document, StepRecord const& step, ErrorKind kind);

/// The kernels of a step that run in other profiles than the first: one of checkSteps().
void checkOtherKernels(Document const& document, StepRecord const& step, ErrorKind kind);

/// Whether [offset, offset + bytes) starts at a multiple of kAlignment and ends within `limit`.
bool fitsAligned(uint64_t offset, uint64_t bytes, uint64_t limit) noexcept;

/// Bytes of a linear tensor. Returns false if the number of bits overflows int64_t or an extent is
/// negative.
bool linearBytes(DataType type, Dims const& dims, uint64_t& bytes) noexcept;

/// Whether a number is that of an integer expression.
bool isInteger(Document const& document, graph::ExprRef ref) noexcept;

/// Extents of a tensor, -1 for those that are not constant. checkShapes() must have passed.
Dims constantDims(Document const& document, TensorRecord const& tensor);

} // namespace kiln::plan
