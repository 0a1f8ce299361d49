// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "failure.h"

namespace kiln::trtexec {

/// The text of the Failure that `call` throws; "" when it throws none.
template <typename Call>
std::string failureText(Call&& call) {
    try {
        call();
    } catch (Failure const& failure) {
        return failure.what();
    }
    return {};
}

} // namespace kiln::trtexec
