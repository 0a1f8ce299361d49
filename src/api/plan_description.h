// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"

namespace kiln::api {

/// The JSON text of kiln::describePlan(). Damage is listed in "problems" instead of thrown.
std::string planDescription(ByteView bytes);

} // namespace kiln::api
