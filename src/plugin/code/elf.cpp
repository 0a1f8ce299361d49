// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The layouts are those of the System V ABI, chapter 4 (object files), class ELFCLASS64.
#include "plugin/code/elf.h"

namespace kiln::plugin {
namespace {

constexpr uint64_t kHeaderBytes = 64;
constexpr uint64_t kSectionBytes = 64;
constexpr uint64_t kSymbolBytes = 24;
constexpr uint32_t kNoBits = 8;

ByteView part(ByteView bytes, uint64_t offset, uint64_t size, std::string_view what) {
    if (offset > bytes.size() || size > bytes.size() - offset) {
        fail(ErrorKind::kCorruptData,
             "expected {} bytes of {} at byte {}, got a file of {} bytes. Compile the code again.",
             size, what, offset, bytes.size());
    }
    return bytes.subspan(offset, size);
}

/// A string table. Returns at most as many bytes as the file has, so that a forged table cannot
/// make its reader copy one long name a million times.
class Names {
public:
    Names(ByteView names, std::size_t fileBytes) : names_(textOf(names)), left_(fileBytes) {}

    /// The zero-terminated text at an offset.
    std::string_view at(std::size_t offset) {
        if (offset < names_.size()) {
            std::string_view const room = names_.substr(offset, left_ + 1);
            if (std::size_t const length = room.find('\0'); length != std::string_view::npos) {
                left_ -= length;
                return room.substr(0, length);
            }
        }
        fail(ErrorKind::kCorruptData,
             "expected a name at byte {} of the names, which are {} bytes. Compile the code again.",
             offset, names_.size());
    }

private:
    std::string_view names_;
    std::size_t left_;
};

} // namespace

bool ElfFile::isElf(ByteView bytes) noexcept {
    constexpr unsigned char kMagic[] = {0x7f, 'E', 'L', 'F'};
    return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

ElfFile::ElfFile(ByteView bytes) : bytes_(bytes) {
    part(bytes, 0, kHeaderBytes, "the ELF header");
    auto const fileClass = readAt<uint8_t>(bytes, 4, "the class");
    auto const order = readAt<uint8_t>(bytes, 5, "the byte order");
    if (fileClass != 2 || order != 1) {
        fail(ErrorKind::kInvalidArgument,
             "expected a little-endian 64-bit ELF file, got class {}, byte order {}. Compile for a "
             "64-bit target.",
             fileClass, order);
    }
    abiVersion_ = readAt<uint8_t>(bytes, 8, "the ABI version");
    type_ = readAt<uint16_t>(bytes, 16, "the file type");
    machine_ = readAt<uint16_t>(bytes, 18, "the machine");
    flags_ = readAt<uint32_t>(bytes, 48, "the flags");
    auto const table = readAt<uint64_t>(bytes, 40, "the place of the sections");
    auto const entryBytes = readAt<uint16_t>(bytes, 58, "the size of a section header");
    auto const count = readAt<uint16_t>(bytes, 60, "the number of sections");
    auto const namesIndex = readAt<uint16_t>(bytes, 62, "the section of names");
    if (count == 0) {
        return;
    }
    if (entryBytes != kSectionBytes || namesIndex >= count) {
        fail(ErrorKind::kCorruptData,
             "expected section headers of {} bytes, one of {} with the names; got {} bytes and "
             "number {}. Compile the code again.",
             kSectionBytes, count, entryBytes, namesIndex);
    }
    ByteView const headers = part(bytes, table, uint64_t{count} * kSectionBytes, "section headers");
    auto const dataOf = [&](uint64_t header) {
        if (readAt<uint32_t>(headers, header + 4, "a section type") == kNoBits) {
            return ByteView{};
        }
        return part(bytes, readAt<uint64_t>(headers, header + 24, "a section offset"),
                    readAt<uint64_t>(headers, header + 32, "a section size"), "a section");
    };
    Names names(dataOf(namesIndex * kSectionBytes), bytes.size());
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t const header = i * kSectionBytes;
        ElfSection section;
        section.type = readAt<uint32_t>(headers, header + 4, "a section type");
        if (section.type != 0) { // the first section is a placeholder
            section.name = names.at(readAt<uint32_t>(headers, header, "a section name"));
            section.link = readAt<uint32_t>(headers, header + 40, "a section link");
            section.data = dataOf(header);
        }
        sections_.push_back(section);
    }
}

ElfSection const* ElfFile::find(std::string_view name) const noexcept {
    for (ElfSection const& section : sections_) {
        if (section.type != 0 && section.name == name) {
            return &section;
        }
    }
    return nullptr;
}

std::vector<ElfSymbol> ElfFile::symbols(uint32_t sectionType) const {
    std::vector<ElfSymbol> symbols;
    for (ElfSection const& section : sections_) {
        if (section.type != sectionType) {
            continue;
        }
        if (section.link >= sections_.size()) {
            fail(ErrorKind::kCorruptData,
                 "expected the names of its symbols in one of {} sections, got number {}. Compile "
                 "the code again.",
                 sections_.size(), section.link);
        }
        Names names(sections_[section.link].data, bytes_.size());
        for (uint64_t at = kSymbolBytes; at + kSymbolBytes <= section.data.size();
             at += kSymbolBytes) { // the first symbol is a placeholder
            auto const info = readAt<uint8_t>(section.data, at + 4, "a symbol type");
            symbols.push_back({names.at(readAt<uint32_t>(section.data, at, "a symbol name")),
                               static_cast<uint8_t>(info & 0xf), static_cast<uint8_t>(info >> 4),
                               readAt<uint8_t>(section.data, at + 5, "a symbol's visibility"),
                               readAt<uint16_t>(section.data, at + 6, "a symbol's section")});
        }
        break;
    }
    return symbols;
}

} // namespace kiln::plugin
