// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"

namespace kiln::plan {

/// The bytes of a plan file: header, metadata, sections. The same document gives the same bytes.
Bytes write(Document const& document);

} // namespace kiln::plan
