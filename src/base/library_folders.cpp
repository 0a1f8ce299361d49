// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/library_folders.h"

#include <algorithm>
#include <mutex>

namespace kiln {
namespace {

std::mutex mutex;

std::vector<std::string>& folders() {
    static auto* const all = new std::vector<std::string>; // leaked: threads may outlive main
    return *all;
}

} // namespace

void addLibraryFolder(std::string folder) {
    std::lock_guard const lock(mutex);
    std::vector<std::string>& all = folders();
    if (std::find(all.begin(), all.end(), folder) == all.end()) {
        all.push_back(std::move(folder));
    }
}

std::vector<std::string> libraryFolders() {
    std::lock_guard const lock(mutex);
    return folders();
}

} // namespace kiln
