// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/library_folders.h"

#include <gtest/gtest.h>

TEST(LibraryFolders, KeepsTheOrderAndEachOnce) {
    std::size_t const before = kiln::libraryFolders().size();
    kiln::addLibraryFolder("/first");
    kiln::addLibraryFolder("/second");
    kiln::addLibraryFolder("/first");
    std::vector<std::string> const folders = kiln::libraryFolders();
    ASSERT_EQ(folders.size(), before + 2);
    EXPECT_EQ(folders[before], "/first");
    EXPECT_EQ(folders[before + 1], "/second");
}
