// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"

namespace kiln::plan {

/// Serializes a plan: header, metadata, sections. Deterministic: equal documents give equal bytes.
/// Frees the constants that the document owns alone while the file grows.
Bytes write(Document document);

} // namespace kiln::plan
