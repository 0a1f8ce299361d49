// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <new>

#include "base/message_codes.h"

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
    throw Error(kind, withCode(message));
}

Failure currentFailure() noexcept {
    constexpr Failure kNoMemory{
        ErrorKind::kOutOfMemory,
        "[kiln] host memory ran out. Use smaller shapes or batches. (kiln-4)"};
    try {
        throw;
    } catch (Error const& error) {
        return {error.kind(), error.what()};
    } catch (std::bad_alloc const&) {
        return kNoMemory;
    } catch (std::length_error const&) { // a container's size limit was exceeded
        return kNoMemory;
    } catch (std::exception const& error) {
        return {ErrorKind::kInternal, error.what()};
    } catch (...) {
        return {ErrorKind::kInternal,
                "[kiln] an exception of unknown type was thrown by a callback. (kiln-2)"};
    }
}

} // namespace kiln
