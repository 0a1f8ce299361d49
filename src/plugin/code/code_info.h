// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The properties of compiled code, read without loading or running it.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/code_kind.h"

namespace kiln::plugin {

/// What a parameter may hold, as far as the code shows.
enum class ParameterClass {
    kUnknown, ///< bits: anything of that size
    kInteger, ///< an integer or a pointer
    kReal,    ///< a floating-point number
};

struct CodeParameter {
    int64_t bytes = 0;
    ParameterClass holds = ParameterClass::kUnknown;
    bool used = true; ///< false: the code never reads it
};

struct CodeEntry {
    std::string name;
    std::vector<CodeParameter> parameters; ///< of GPU code; host objects do not list theirs
};

struct CodeInfo {
    CodeKind kind = CodeKind::kPtx;
    std::string architecture; ///< "sm_90", "x86-64"
    int32_t ptxVersion = 0;   ///< of PTX, 10 * major + minor; else 0
    std::vector<CodeEntry> entries;
};

/// Detects the kind of code and reads it. The bytes are untrusted: every read is bounded, and
/// memory use is limited by their number. Throws kInvalidArgument for anything but code that Kiln
/// accepts, and kCorruptData for damaged code. The text follows the name of the code.
CodeInfo inspectCode(ByteView bytes);

/// "PTX", "a cubin", "a host object".
char const* nameOf(CodeKind kind) noexcept;

} // namespace kiln::plugin
