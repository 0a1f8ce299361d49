// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Samples for the tests of code readers: a real cubin, PTX, and a small handmade ELF file.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "support/test_paths.h"

namespace kiln::test {

inline ByteView viewOf(std::string_view text) {
    return std::as_bytes(std::span<char const>(text.data(), text.size()));
}

inline Bytes bytesOf(std::string_view text) {
    ByteView const view = viewOf(text);
    return {view.begin(), view.end()};
}

/// Kernel scale(x: u64, n: u32, s: f32, y: u64) for sm_80.
inline Bytes sampleCubin() {
    std::ifstream file(dataFolder() + "/scale_sm_80.cubin.hex");
    Bytes bytes;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
            bytes.push_back(static_cast<std::byte>(std::stoi(line.substr(i, 2), nullptr, 16)));
        }
    }
    return bytes;
}

/// PTX as a compiler writes it: comments, attributes, a function, three kernels, unused scratch
/// pointers.
inline constexpr std::string_view kSamplePtx = R"(// made by a compiler
.version 9.4 /* new */
.target sm_90a, texmode_independent
.address_size 64
.extern .func helper (.param .b32 a);
.visible .entry add(
    .param .u64 .ptr .global .align 1 add_param_0,
    .param .u64 .ptr .global .align 1 add_param_1,
    .param .u32 add_param_2,
    .param .f32 add_param_3,
    .param .u64 .ptr .global .align 1 add_param_4,
    .param .u64 .ptr .global .align 1 add_param_5,
    .param .u64 .ptr .global .align 1 add_param_6
)
.reqntid 128
{
    .reg .b64 %rd<3>;
    .file 1 "a } in a name"
    { ld.param.b64 %rd1, [add_param_0]; ld.param.b64 %rd2, [add_param_1+0]; }
    ld.param.b32 %r1, [add_param_2]; ld.param.b32 %r2, [add_param_3];
    ld.param.b64 %rd2, [add_param_4];
    ret;
}
.weak .entry other(.param .align 4 .b8 blob[12], .param .b16 h, .param .s8 c) { ret; }
.entry nothing() { ret; }
)";

/// A shared object that exports these functions, without their code.
inline Bytes sampleSharedObject(std::vector<std::string> const& functions, uint16_t machine = 62,
                                uint16_t type = 3) {
    std::string names(1, '\0');
    ByteWriter symbols;
    auto const symbol = [&](std::string const& name, uint8_t info, uint16_t section) {
        symbols.put(static_cast<uint32_t>(name.empty() ? 0 : names.size()));
        symbols.put(info);
        symbols.put(uint8_t{0});
        symbols.put(section);
        symbols.put(uint64_t{0});
        symbols.put(uint64_t{0});
        names += name.empty() ? "" : name + '\0';
    };
    symbol("", 0, 0);
    symbol("memcpy", 0x12, 0); // undefined here
    symbol("table", 0x11, 1);  // not a function
    for (std::string const& name : functions) {
        symbol(name, 0x12, 1);
    }
    Bytes const table = symbols.take();
    std::string const sectionNames("\0.dynsym\0.dynstr\0.shstrtab\0", 27);

    ByteWriter file;
    file.put(uint32_t{0x464c457f});
    file.put(uint32_t{0x00010102}); // 64 bits, little-endian, version 1
    file.put(uint64_t{0});
    file.put(type);
    file.put(machine);
    file.put(uint32_t{1});
    file.put(uint64_t{0});
    file.put(uint64_t{0});
    uint64_t const dataAt = 64;
    uint64_t const headersAt = dataAt + table.size() + names.size() + sectionNames.size();
    file.put(headersAt);
    file.put(uint32_t{0});
    for (uint16_t const half : {64, 0, 0, 64, 4, 3}) {
        file.put(half);
    }
    Bytes bytes = file.take();
    bytes.insert(bytes.end(), table.begin(), table.end());
    for (std::string const& text : {names, sectionNames}) {
        ByteView const view = viewOf(text);
        bytes.insert(bytes.end(), view.begin(), view.end());
    }
    ByteWriter headers;
    uint64_t at = dataAt;
    auto const section = [&](uint32_t name, uint32_t kind, uint64_t size, uint32_t link) {
        headers.put(name);
        headers.put(kind);
        headers.put(uint64_t{0});
        headers.put(uint64_t{0});
        headers.put(kind == 0 ? uint64_t{0} : at);
        headers.put(size);
        headers.put(link);
        headers.put(uint32_t{0});
        headers.put(uint64_t{0});
        headers.put(uint64_t{0});
        at += size;
    };
    section(0, 0, 0, 0);
    section(1, 11, table.size(), 2);
    section(9, 3, names.size(), 0);
    section(17, 3, sectionNames.size(), 0);
    Bytes const tail = headers.take();
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
}

} // namespace kiln::test
