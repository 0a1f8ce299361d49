// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace kiln::plugin {

struct ElfSection {
    std::string_view name; ///< views into the file
    uint32_t type = 0;
    uint32_t link = 0; ///< of a symbol table: the section with its names
    ByteView data;     ///< empty for sections without data in the file
};

struct ElfSymbol {
    std::string_view name;
    uint8_t type = 0;     ///< 2: function
    uint8_t binding = 0;  ///< 1: global, 2: weak
    uint8_t other = 0;    ///< visibility and machine-specific bits
    uint16_t section = 0; ///< 0: not defined here
};

/// Sections and symbols of a little-endian 64-bit ELF file: a cubin, object or shared object. The
/// bytes must outlive it and are untrusted: an offset outside the file or an unexpected layout
/// throws kCorruptData.
class ElfFile {
public:
    static constexpr uint16_t kRelocatable = 1;
    static constexpr uint16_t kShared = 3;
    static constexpr uint16_t kMachineX86 = 62;
    static constexpr uint16_t kMachineArm = 183;
    static constexpr uint16_t kMachineCuda = 190;
    static constexpr uint32_t kSymbolTable = 2;
    static constexpr uint32_t kDynamicSymbols = 11;
    static constexpr uint8_t kFunction = 2;

    static bool isElf(ByteView bytes) noexcept;

    explicit ElfFile(ByteView bytes);

    uint16_t type() const noexcept { return type_; }
    uint16_t machine() const noexcept { return machine_; }
    uint32_t flags() const noexcept { return flags_; }
    uint8_t abiVersion() const noexcept { return abiVersion_; }

    std::vector<ElfSection> const& sections() const noexcept { return sections_; }
    ElfSection const* find(std::string_view name) const noexcept;

    /// The symbols of the first section of that type; none without such a section.
    std::vector<ElfSymbol> symbols(uint32_t sectionType) const;

private:
    ByteView bytes_;
    std::vector<ElfSection> sections_;
    uint16_t type_ = 0;
    uint16_t machine_ = 0;
    uint32_t flags_ = 0;
    uint8_t abiVersion_ = 0;
};

/// Bytes as text.
inline std::string_view textOf(ByteView bytes) noexcept {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Reads a value at an offset of untrusted bytes. Throws kCorruptData, naming `what`, if it is out
/// of range.
template <typename T>
T readAt(ByteView bytes, uint64_t offset, std::string_view what) {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) {
        fail(ErrorKind::kCorruptData,
             "expected {} at byte {}, got an end after {} bytes. Compile the code again.", what,
             offset, bytes.size());
    }
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

} // namespace kiln::plugin
