// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace kiln::test {

/// While it is set, no thread of the program can be started.
extern std::atomic<bool> threadsFail;

} // namespace kiln::test
