// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln::api {

/// Keeps the text of an error for kiln::takeLastError() on this thread. Drops it without memory.
void keepLastError(char const* text) noexcept;

} // namespace kiln::api
