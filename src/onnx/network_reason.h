// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kiln/kiln.h>

namespace kiln::onnx {

// Why the network refused the call before: its own error, which the logger has, too.
inline std::string networkReason() {
    std::string reason = kiln::takeLastError();
    return reason.empty() ? "the logger has the reason." : reason;
}

} // namespace kiln::onnx
