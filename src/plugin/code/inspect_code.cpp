// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugin/code/code_info.h"
#include "plugin/code/cubin.h"
#include "plugin/code/host_object.h"
#include "plugin/code/ptx.h"
#include "plugin/code/ptx_tokens.h"

namespace kiln::plugin {
namespace {

struct ForeignFormat {
    std::string_view magic;
    char const* what;
    char const* remedy;
};

// Formats that users pass by mistake, recognized by their first bytes.
constexpr ForeignFormat kForeignFormats[] = {
    {"\x50\xed\x55\xba", "a fatbin", "Give the cubin or the PTX in it"},
    {"!<arch>", "a static library", "Link it with cc -shared"},
    {"BC\xc0\xde", "LLVM bitcode", "Compile it to PTX or to an object"},
    {"MZ", "a Windows executable", "Compile for Linux, to an ELF shared object"},
    {"\xcf\xfa\xed\xfe", "a Mach-O file", "Compile for Linux, to an ELF shared object"},
    {"\xca\xfe\xba\xbe", "a Mach-O file", "Compile for Linux, to an ELF shared object"},
    {"\xed\x43\x4e\x4c", "NVIDIA's code for link-time optimization", "Compile to PTX or a cubin"},
};

[[noreturn]] void refuse(ByteView bytes) {
    if (bytes.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "expected PTX, a cubin or a host object, got no bytes. Return the compiled code.");
    }
    std::string_view const text = textOf(bytes);
    for (ForeignFormat const& format : kForeignFormats) {
        if (text.starts_with(format.magic)) {
            fail(ErrorKind::kInvalidArgument, "expected PTX, a cubin or a host object, got {}. {}.",
                 format.what, format.remedy);
        }
    }
    bool const readable = std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || c == '\r';
    });
    fail(ErrorKind::kInvalidArgument,
         "expected PTX, a cubin or a host object, got {} bytes of {}. Compile source code first: "
         "PTX starts with .version, the others are ELF files.",
         bytes.size(), readable ? "other text" : "something else");
}

} // namespace

char const* nameOf(CodeKind kind) noexcept {
    switch (kind) {
    case CodeKind::kPtx: return "PTX";
    case CodeKind::kCubin: return "a cubin";
    case CodeKind::kHostObject: return "a host object";
    }
    return "unknown code";
}

CodeInfo inspectCode(ByteView bytes) {
    if (ElfFile::isElf(bytes)) {
        ElfFile const file(bytes);
        return file.machine() == ElfFile::kMachineCuda ? inspectCubin(file)
                                                       : inspectHostObject(file);
    }
    std::string_view text = textOf(bytes);
    while (!text.empty() && text.back() == '\0') { // compilers may append a terminating zero
        text.remove_suffix(1);
    }
    if (PtxTokens(text).peek() != ".version") {
        refuse(bytes);
    }
    return inspectPtx(text);
}

} // namespace kiln::plugin
