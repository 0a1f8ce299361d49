// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The fixed part of a plan file, as docs/plan-format.md specifies it. All numbers little-endian.
namespace kiln::plan {

/// Carriage return, line feed and control-Z show at once when a file went through a transfer that
/// took it for text.
inline constexpr std::array<unsigned char, 8> kMagic{'K', 'I', 'L', 'N', '\r', '\n', 0x1a, '\n'};

/// Raised by one whenever a reader of the former number would misread the file.
inline constexpr uint32_t kFormatVersion = 4;

/// Sections and constants start at multiples of this, so that vector loads from the mapped file are
/// aligned.
inline constexpr uint64_t kAlignment = 64;

/// No header of any version is longer: bounds what is hashed before anything can be trusted.
inline constexpr uint32_t kMaxHeaderBytes = 4096;

/// Sections stand in the file in this order, each exactly once, the large one last.
enum class SectionKind : uint32_t {
    kMetadata = 1,
    kCode = 2,
    kStates = 3,
    kLibraries = 4,
    kWeights = 5,
};

inline constexpr uint32_t kSectionCount = 5;

/// The first 32 bytes keep their meaning in all future versions, so that any reader can tell damage
/// from a file that is merely newer.
struct FileHeader {
    std::array<unsigned char, 8> magic;
    uint32_t headerBytes; ///< with the section table
    uint32_t formatVersion;
    uint16_t kilnMajor;
    uint16_t kilnMinor;
    uint16_t kilnPatch;
    uint16_t reserved;   ///< 0
    uint64_t headerHash; ///< of the first headerBytes bytes with this field set to 0
    uint64_t totalBytes;
    uint32_t sectionCount;
    uint32_t reserved2;          ///< 0
    std::array<char, 16> target; ///< "cpu", "cuda"; padded with zeros, at least one
};

struct SectionEntry {
    SectionKind kind;
    uint32_t reserved; ///< 0
    uint64_t offset;
    uint64_t bytes;
    uint64_t hash;
};

struct HeaderBlock {
    FileHeader file;
    std::array<SectionEntry, kSectionCount> sections;
};

static_assert(offsetof(FileHeader, headerBytes) == 8);
static_assert(offsetof(FileHeader, formatVersion) == 12);
static_assert(offsetof(FileHeader, kilnMajor) == 16);
static_assert(offsetof(FileHeader, headerHash) == 24);
static_assert(offsetof(FileHeader, totalBytes) == 32);
static_assert(offsetof(FileHeader, sectionCount) == 40);
static_assert(offsetof(FileHeader, target) == 48);
static_assert(sizeof(FileHeader) == 64);
static_assert(offsetof(SectionEntry, offset) == 8);
static_assert(offsetof(SectionEntry, bytes) == 16);
static_assert(offsetof(SectionEntry, hash) == 24);
static_assert(sizeof(SectionEntry) == 32);
static_assert(sizeof(HeaderBlock) == 224);

char const* sectionName(SectionKind kind) noexcept;

} // namespace kiln::plan
