// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/header.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

#include "base/checked.h"
#include "base/hash.h"
#include "kiln/version.h"
#include "plan/reader.h"

namespace kiln::plan {

char const* sectionName(SectionKind kind) noexcept {
    switch (kind) {
    case SectionKind::kMetadata: return "metadata";
    case SectionKind::kCode: return "code";
    case SectionKind::kStates: return "states";
    case SectionKind::kLibraries: return "libraries";
    case SectionKind::kWeights: return "weights";
    }
    return "unknown";
}

uint64_t headerHash(ByteView block) {
    constexpr std::size_t kPlace = offsetof(FileHeader, headerHash);
    constexpr std::size_t kLength = sizeof(FileHeader::headerHash);
    ByteView const before = block.first(kPlace);
    ByteView const after = block.subspan(kPlace + kLength);
    Bytes counted(before.begin(), before.end());
    counted.insert(counted.end(), kLength, std::byte{0});
    counted.insert(counted.end(), after.begin(), after.end());
    return hashBytes(counted);
}

bool looksLikePlan(ByteView bytes) noexcept {
    return bytes.size() >= kMagic.size() &&
           std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::string writerVersion(ByteView bytes) {
    if (!looksLikePlan(bytes) || bytes.size() < sizeof(FileHeader)) {
        return {};
    }
    FileHeader file{};
    std::memcpy(&file, bytes.data(), sizeof(FileHeader));
    return fmt::format("{}.{}.{}", file.kilnMajor, file.kilnMinor, file.kilnPatch);
}

Header::Header(ByteView bytes) : bytes_(bytes) {
    checkStart();
    checkVersion();
    checkFields();
    checkSections();
}

// Checks what is valid for headers of every version, including the hash of the header.
void Header::checkStart() {
    if (!looksLikePlan(bytes_)) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: expected the magic number of a Kiln plan, got {} bytes that do not "
             "start with it. Give a plan that Kiln built, and copy it as binary data.",
             bytes_.size());
    }
    if (bytes_.size() < sizeof(FileHeader)) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: length {} passes the end of the file ({}). Copy the file again.",
             sizeof(FileHeader), bytes_.size());
    }
    std::memcpy(&block_.file, bytes_.data(), sizeof(FileHeader));
    uint32_t const length = block_.file.headerBytes;
    if (length < sizeof(FileHeader) || length > kMaxHeaderBytes) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: expected a length of {} to {}, got {}. Copy the file again.",
             sizeof(FileHeader), kMaxHeaderBytes, length);
    }
    if (length > bytes_.size()) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: length {} passes the end of the file ({}). Copy the file again.",
             length, bytes_.size());
    }
    uint64_t const hash = headerHash(bytes_.first(length));
    if (hash != block_.file.headerHash) {
        fail(ErrorKind::kCorruptData,
             "[plan] header, bytes 0 to {}: expected hash {:016x}, got {:016x}. Copy the file "
             "again.",
             length - 1, block_.file.headerHash, hash);
    }
}

// A plan opens in the minor version that wrote it; a version-compatible one in later ones, too.
void Header::checkVersion() const {
    FileHeader const& file = block_.file;
    bool const same = file.kilnMajor == KILN_VERSION_MAJOR && file.kilnMinor == KILN_VERSION_MINOR;
    bool const later = file.kilnMajor == KILN_VERSION_MAJOR && file.kilnMinor < KILN_VERSION_MINOR;
    if (!same && !(later && versionCompatible())) {
        fail(ErrorKind::kUnsupported,
             "[plan] expected a plan written by Kiln {}.{}, got one written by Kiln {}. Build it "
             "again with this version, or open it with that one.",
             KILN_VERSION_MAJOR, KILN_VERSION_MINOR, kilnVersion());
    }
    uint32_t const oldest = same ? kFormatVersion : kOldestCompatibleFormat;
    if (file.formatVersion < oldest || file.formatVersion > kFormatVersion) {
        fail(ErrorKind::kUnsupported,
             "[plan] expected plan format {}, got format {} written by Kiln {}. Build the plan "
             "again with this version.",
             kFormatVersion, file.formatVersion, kilnVersion());
    }
}

void Header::checkFields() const {
    FileHeader const& file = block_.file;
    if (file.headerBytes != sizeof(HeaderBlock) || file.sectionCount != kSectionCount) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: expected {} bytes and {} sections, got {} and {}. Build the plan "
             "again.",
             sizeof(HeaderBlock), kSectionCount, file.headerBytes, file.sectionCount);
    }
    auto const end = std::find(file.target.begin(), file.target.end(), '\0');
    bool const word = std::all_of(file.target.begin(), end, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ',';
    });
    bool const padded = std::all_of(end, file.target.end(), [](char c) { return c == '\0'; });
    if (end == file.target.begin() || end == file.target.end() || !word || !padded) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: expected a word that names the target, got other bytes. Build the "
             "plan again.");
    }
    int const unknown = file.flags & ~kVersionCompatible;
    if (unknown != 0 || file.reserved2 != 0) {
        fail(ErrorKind::kCorruptData,
             "[plan] header: expected 0 in its reserved fields, got {} and {}. Build the plan "
             "again.",
             unknown, file.reserved2);
    }
}

// Sections must be consecutive, with only zeros as padding. So they cannot overlap, and every byte
// of the file is covered by a hash or known to be zero.
void Header::checkSections() {
    std::memcpy(&block_.sections, bytes_.data() + sizeof(FileHeader), sizeof(block_.sections));
    uint64_t end = sizeof(HeaderBlock);
    uint32_t number = 0;
    for (SectionEntry const& entry : block_.sections) {
        auto const wanted = static_cast<SectionKind>(++number);
        uint64_t const start = roundUp(end, kAlignment);
        if (entry.kind != wanted || entry.reserved != 0 || entry.offset != start) {
            fail(ErrorKind::kCorruptData,
                 "[plan] header, section {}: expected '{}' at byte {}, got kind {} at byte {}. "
                 "Build the plan again.",
                 number, sectionName(wanted), start, static_cast<uint32_t>(entry.kind),
                 entry.offset);
        }
        // The aligned offset of an empty section at the end may pass the end of the file.
        if (entry.bytes > 0 && (start > bytes_.size() || entry.bytes > bytes_.size() - start)) {
            fail(ErrorKind::kCorruptData,
                 "[plan] section '{}', byte {}: length {} passes the end of the file ({}). Copy "
                 "the file again.",
                 sectionName(wanted), start, entry.bytes, bytes_.size());
        }
        if (entry.bytes > 0) {
            checkPadding(end, start);
            end = start + entry.bytes;
        }
    }
    if (block_.file.totalBytes != end || bytes_.size() != end) {
        fail(ErrorKind::kCorruptData,
             "[plan] expected a file of {} bytes, which end with its last section, got {} (the "
             "header says {}). Copy the file again.",
             end, bytes_.size(), block_.file.totalBytes);
    }
}

void Header::checkPadding(uint64_t from, uint64_t to) const {
    ByteView const gap = bytes_.subspan(from, to - from);
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; })) {
        fail(ErrorKind::kCorruptData,
             "[plan] bytes {} to {}: expected zeros between two sections, got other bytes. Copy "
             "the file again.",
             from, to - 1);
    }
}

std::string Header::kilnVersion() const {
    FileHeader const& file = block_.file;
    return fmt::format("{}.{}.{}", file.kilnMajor, file.kilnMinor, file.kilnPatch);
}

std::string Header::target() const {
    return block_.file.target.data(); // checkFields() ensures a terminating zero
}

SectionEntry const& Header::entry(SectionKind kind) const {
    return block_.sections.at(static_cast<uint32_t>(kind) - 1);
}

ByteView Header::section(SectionKind kind) const {
    SectionEntry const& found = entry(kind);
    return found.bytes == 0 ? ByteView{} : bytes_.subspan(found.offset, found.bytes);
}

bool Header::intact(SectionKind kind) const {
    return hashBytes(section(kind)) == entry(kind).hash;
}

void Header::expectIntact(SectionKind kind) const {
    SectionEntry const& found = entry(kind);
    uint64_t const hash = hashBytes(section(kind));
    if (hash != found.hash) {
        fail(ErrorKind::kCorruptData,
             "[plan] section '{}', bytes {} to {}: expected hash {:016x}, got {:016x}. Copy the "
             "file again, or build it again.",
             sectionName(kind), found.offset, found.offset + std::max<uint64_t>(found.bytes, 1) - 1,
             found.hash, hash);
    }
}

} // namespace kiln::plan
