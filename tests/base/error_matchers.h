// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/without_code.h"

namespace kiln::test {

/// Runs the statement and returns the message of the Error it throws, without its code. The test
/// fails if the kind differs, or if nothing is thrown; the text is then empty.
template <typename Statement>
std::string errorOf(ErrorKind kind, Statement&& statement) {
    try {
        statement();
    } catch (Error const& error) {
        EXPECT_EQ(nameOf(error.kind()), std::string(nameOf(kind))) << error.what();
        return withoutCode(error.what());
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

} // namespace kiln::test
