// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "base/json.h"
#include "plan/document.h"

namespace kiln::api {

/// All tensors of a plan, by number: role, type, format, the shape and bytes at the optimum of the
/// first profile, for internal ones the place in the arena and the steps that need it, and for
/// constants the place in the file, which the document was read from.
Json tensorsOf(plan::Document const& document, ByteView file);

} // namespace kiln::api
