// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The function `compute` of generated kernels: one element of each result of pointwise operations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/ops/region.h"
#include "target/candidate.h"
#include "target/workload/region_operands.h"

namespace kiln::targets::cuda {

/// Whether generated code computes with elements of this type.
bool isComputed(DataType type);
/// Whether it knows the operation.
bool isComputed(graph::Op const& op);

/// Whether a quantization has a scale in blocks, or of a type that generated code does not read.
bool hasBlocks(graph::Region const& region, std::vector<graph::Region::KnownValue> const& values);

/// All values at the optimum shapes. Inputs that no node reads keep their own type.
std::vector<graph::Region::KnownValue> valuesOf(graph::Region const& region,
                                                target::NodeSpec const& node);

/// The type of an operand among them.
DataType typeOfOperand(std::vector<graph::Region::KnownValue> const& values,
                       target::RegionOperand const& operand);

/// The functions that `compute` calls, and the constant kShort (kernels/functions.cuh).
std::string functionsFor(graph::Region const& region,
                         std::vector<graph::Region::KnownValue> const& values);

/// The function, which takes one element of each operand (x0, x1, ...) and a reference to one of
/// each result (y0, ...).
std::string computeFunction(graph::Region const& region,
                            std::vector<graph::Region::KnownValue> const& values,
                            std::vector<target::RegionOperand> const& operands);

/// functionsFor() and computeFunction() where the values in `numbers` are passed as float, not as
/// elements.
std::string computeSource(graph::Region const& region, target::NodeSpec const& node,
                          std::span<int32_t const> numbers);

} // namespace kiln::targets::cuda
