// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace kiln::test {

/// While this is set, the program cannot start threads.
extern std::atomic<bool> threadsFail;

} // namespace kiln::test
