// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/op.h"

namespace kiln::api {

/// What an operation computes, for people: "Relu", "Sum", "Pooling Max"; of most, its kind.
std::string operationName(graph::Op const& op);

} // namespace kiln::api
