// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gmock/gmock.h>

#include "base/error.h"

namespace kiln::test {

/// Runs the statement and returns the message of the Error it throws; fails the test, and returns
/// an empty text, when it throws none or one of another kind.
template <typename Statement>
std::string errorOf(ErrorKind kind, Statement&& statement) {
    try {
        statement();
    } catch (Error const& error) {
        EXPECT_EQ(nameOf(error.kind()), std::string(nameOf(kind))) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

} // namespace kiln::test
