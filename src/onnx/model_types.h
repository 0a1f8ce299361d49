// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/proto/messages.h"

#include <set>

namespace kiln::onnx {

// The element types of inputs, constants and casts of a model that a network takes as other ones.
std::set<ElementType> replacedTypesOf(ModelProto const& model);

} // namespace kiln::onnx
