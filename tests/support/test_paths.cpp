// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "support/test_paths.h"

namespace kiln::test {

std::string sourceFolder() {
    return KILN_TEST_SOURCE;
}

std::string dataFolder() {
    return KILN_TEST_SOURCE "/tests/data";
}

std::string builtFolder() {
    return KILN_TEST_BUILD "/tests";
}

} // namespace kiln::test
