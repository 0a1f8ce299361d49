// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Folders that tests read from. Only test_paths.cpp is compiled with them, so that a compiler cache
// can share the other objects between clones.
#pragma once

#include <string>

namespace kiln::test {

/// The root of the source tree.
std::string sourceFolder();

/// tests/data of the source tree.
std::string dataFolder();

/// The build tree's folder of test programs and test libraries.
std::string builtFolder();

} // namespace kiln::test
