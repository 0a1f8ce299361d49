// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA documents only that a cubin is an ELF file. The rest comes from the output of its tools
// (cuobjdump -elf, nvdisasm) and from LLVM's ELF.h: the architecture in e_flags, an attribute list
// .nv.info.NAME for each kernel, a mark in st_other for the kernels' symbols.
#include "plugin/code/cubin.h"

#include <algorithm>

#include "base/gpu_architecture.h"

namespace kiln::plugin {
namespace {

constexpr uint8_t kNewAbi = 8;       // the second byte of the flags holds the architecture
constexpr uint8_t kEntryMark = 0x10; // in st_other: a kernel, not a device function

// An attribute is {format, number, two bytes}. With kSized, the two bytes are the size of the value
// that follows.
constexpr uint8_t kSized = 4;
constexpr uint8_t kParameter = 0x17;
constexpr uint8_t kWideParameter = 0x45; // the same for lists above 4 KiB: a four-byte size

std::string architectureOf(ElfFile const& file) {
    uint32_t const flags = file.flags();
    bool const newAbi = file.abiVersion() >= kNewAbi;
    uint32_t const number = (newAbi ? flags >> 8 : flags) & 0xff;
    bool const exact = (flags & (newAbi ? 0x8U : 0x800U)) != 0;
    GpuArchitecture const found{static_cast<int32_t>(number / 10),
                                static_cast<int32_t>(number % 10), exact ? 'a' : char{0}};
    if (found.major == 0) {
        fail(ErrorKind::kCorruptData,
             "expected a cubin that tells its architecture, got flags {:#x}. Compile the code "
             "again.",
             flags);
    }
    return found.text();
}

struct Place {
    uint16_t ordinal = 0;
    CodeParameter parameter;
};

std::vector<CodeParameter> parametersOf(ByteView info, std::string_view entry) {
    std::vector<Place> places;
    for (uint64_t at = 0; at + 4 <= info.size();) {
        auto const format = readAt<uint8_t>(info, at, "an attribute");
        auto const number = readAt<uint8_t>(info, at + 1, "an attribute");
        auto const size = readAt<uint16_t>(info, at + 2, "an attribute's size");
        at += 4;
        if (format != kSized) {
            continue;
        }
        if (number == kParameter || number == kWideParameter) {
            // {unused, ordinal, offset, size}; the short form stores the size in the upper bits.
            Place place;
            place.ordinal = readAt<uint16_t>(info, at + 4, "a parameter's number");
            auto const bits = readAt<uint32_t>(info, at + 8, "a parameter's size");
            place.parameter.bytes = number == kParameter ? bits >> 18 : bits;
            places.push_back(place);
        }
        at += size;
    }
    std::sort(places.begin(), places.end(),
              [](Place const& a, Place const& b) { return a.ordinal < b.ordinal; });
    std::vector<CodeParameter> parameters;
    for (Place const& place : places) {
        if (place.ordinal != parameters.size()) {
            fail(ErrorKind::kCorruptData,
                 "kernel '{}': expected its parameter {} next, got parameter {}. Compile the code "
                 "again.",
                 entry, parameters.size(), place.ordinal);
        }
        parameters.push_back(place.parameter);
    }
    return parameters;
}

} // namespace

CodeInfo inspectCubin(ElfFile const& file) {
    CodeInfo info;
    info.kind = CodeKind::kCubin;
    info.architecture = architectureOf(file);
    for (ElfSection const& section : file.sections()) {
        constexpr std::string_view kPrefix = ".nv.info.";
        if (!section.name.starts_with(kPrefix)) {
            continue;
        }
        std::string_view const name = section.name.substr(kPrefix.size());
        info.entries.push_back({std::string(name), parametersOf(section.data, name)});
    }
    std::vector<std::string_view> kernels;
    for (ElfSymbol const& symbol : file.symbols(ElfFile::kSymbolTable)) {
        if (symbol.type == ElfFile::kFunction && (symbol.other & kEntryMark) != 0) {
            kernels.push_back(symbol.name);
        }
    }
    std::sort(kernels.begin(), kernels.end());
    std::erase_if(info.entries, [&](CodeEntry const& entry) {
        return !std::binary_search(kernels.begin(), kernels.end(), entry.name);
    });
    return info;
}

} // namespace kiln::plugin
