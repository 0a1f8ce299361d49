// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Converts a TensorProto, in any of its forms, to elements in the parser's memory.
#pragma once

#include "onnx/external_data.h"
#include "onnx/proto/messages.h"
#include "onnx/value.h"
#include "onnx/weight_store.h"

#include <string_view>
#include <vector>

namespace kiln::onnx {

// Files that initializers are read from, and memory for their elements.
struct TensorSource {
    ExternalData& files;
    WeightStore& store;
};

// Throws ImportError if count, shape and type do not match. Types that networks lack are replaced,
// see isReplaced(). Large raw_data in a file that the store keeps stays there, at any address.
Constant readConstant(TensorProto const& tensor, TensorSource const& source);

// Vectors of DOUBLE up to this length keep all digits, see double_numbers.h.
constexpr int64_t kMostDigits = 8;

// The same, with the type that the model says, and with the digits of a few DOUBLE numbers.
Value readValue(TensorProto const& tensor, TensorSource const& source);

// A dense constant of a sparse tensor.
Value readSparse(SparseTensorProto const& tensor, TensorSource const& source);

// How many nodes take as much memory as each further reading of the tensor. Those of raw_data share
// one copy.
size_t costOf(TensorProto const& tensor);

// As readConstant() for elements that the caller supplies, in raw_data layout. Copies BOOL and
// replaced types only.
Constant readSupplied(TensorProto const& tensor, std::string_view bytes, WeightStore& store);

// The elements at an address of their type's alignment: a copy if they lie elsewhere.
void const* alignedElements(Constant const& constant, WeightStore& store);

// The elements of a small constant as numbers; ImportError, naming `what`, for other types.
std::vector<int64_t> integersOf(Constant const& constant, std::string_view what);
std::vector<float> floatsOf(Constant const& constant, std::string_view what);

} // namespace kiln::onnx
