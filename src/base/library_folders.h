// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kiln {

/// Adds a folder to search for libraries that are opened at run time. Thread-safe.
void addLibraryFolder(std::string folder);

/// All folders, in the order in which they were added.
std::vector<std::string> libraryFolders();

} // namespace kiln
