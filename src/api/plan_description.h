// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"

namespace kiln::api {

/// The JSON text of kiln::describePlan(). Damage of every sort becomes an entry of "problems".
std::string planDescription(ByteView bytes);

} // namespace kiln::api
