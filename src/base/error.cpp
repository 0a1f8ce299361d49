// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace kiln {

char const* nameOf(ErrorKind kind) noexcept {
    switch (kind) {
    case ErrorKind::kInvalidArgument: return "invalid argument";
    case ErrorKind::kInvalidState: return "invalid state";
    case ErrorKind::kUnsupported: return "unsupported";
    case ErrorKind::kOutOfMemory: return "out of memory";
    case ErrorKind::kCorruptData: return "corrupt data";
    case ErrorKind::kDevice: return "device";
    case ErrorKind::kPlugin: return "plugin";
    case ErrorKind::kInternal: return "internal";
    }
    return "unknown";
}

void raise(ErrorKind kind, std::string const& message) {
    throw Error(kind, message);
}

} // namespace kiln
