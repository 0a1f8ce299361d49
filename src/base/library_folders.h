// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kiln {

/// One more folder in which libraries that are opened at run time may lie. Thread-safe.
void addLibraryFolder(std::string folder);

/// All of them, in the order in which they were added.
std::vector<std::string> libraryFolders();

} // namespace kiln
