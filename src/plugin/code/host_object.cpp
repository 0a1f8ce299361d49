// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/host_object.h"

namespace kiln::plugin {

std::string_view hostArchitecture() noexcept {
#if defined(__x86_64__)
    return "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "generic";
#endif
}

CodeInfo inspectHostObject(ElfFile const& file) {
    CodeInfo info;
    info.kind = CodeKind::kHostObject;
    switch (file.machine()) {
    case ElfFile::kMachineX86: info.architecture = "x86-64"; break;
    case ElfFile::kMachineArm: info.architecture = "aarch64"; break;
    default:
        fail(ErrorKind::kInvalidArgument,
             "expected an ELF file for x86-64 (62), aarch64 (183) or CUDA (190), got machine {}. "
             "Compile for one of these.",
             file.machine());
    }
    if (file.type() == ElfFile::kRelocatable) {
        fail(ErrorKind::kInvalidArgument,
             "expected a shared object, got a relocatable object. Link it with cc -shared, or in "
             "Python with kiln.aot.link.");
    }
    if (file.type() != ElfFile::kShared) {
        fail(ErrorKind::kInvalidArgument,
             "expected a shared object (ELF type 3), got ELF type {}. Link it with cc -shared.",
             file.type());
    }
    for (ElfSymbol const& symbol : file.symbols(ElfFile::kDynamicSymbols)) {
        if (symbol.type == ElfFile::kFunction && symbol.binding != 0 && symbol.section != 0) {
            info.entries.push_back({std::string(symbol.name), {}});
        }
    }
    return info;
}

} // namespace kiln::plugin
