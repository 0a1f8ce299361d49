// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"

namespace kiln::plan {

/// Serializes a plan: header, metadata, sections. Deterministic: equal documents give equal bytes.
Bytes write(Document const& document);

} // namespace kiln::plan
