// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The fixed part of a plan file, specified in docs/plan-format.md. All numbers are little-endian.
namespace kiln::plan {

/// Carriage return, line feed and control-Z detect transfers in text mode, which change them.
inline constexpr std::array<unsigned char, 8> kMagic{'K', 'I', 'L', 'N', '\r', '\n', 0x1a, '\n'};

/// Incremented when a reader of the previous version would misread the file.
inline constexpr uint32_t kFormatVersion = 8;

/// Version-compatible plans of this format and later ones are read.
inline constexpr uint32_t kOldestCompatibleFormat = 8;

/// FileHeader::flags: later versions of Kiln with the same major version open the plan.
inline constexpr uint16_t kVersionCompatible = 1;

/// Sections and constants start at multiples of this, so that vector loads from the mapped file are
/// aligned.
inline constexpr uint64_t kAlignment = 64;

/// Maximum header length of all versions. Limits the bytes that are hashed before they are trusted.
inline constexpr uint32_t kMaxHeaderBytes = 4096;

/// Order of the sections in the file. Each occurs exactly once; weights, the largest, come last.
enum class SectionKind : uint32_t {
    kMetadata = 1,
    kCode = 2,
    kStates = 3,
    kLibraries = 4,
    kWeights = 5,
};

inline constexpr uint32_t kSectionCount = 5;

/// The first 32 bytes keep their meaning in all versions, so that a reader can tell a damaged file
/// from a newer one.
struct FileHeader {
    std::array<unsigned char, 8> magic;
    uint32_t headerBytes; ///< including the section table
    uint32_t formatVersion;
    uint16_t kilnMajor;
    uint16_t kilnMinor;
    uint16_t kilnPatch;
    uint16_t flags;      ///< kVersionCompatible or 0
    uint64_t headerHash; ///< of the first headerBytes bytes with this field set to 0
    uint64_t totalBytes;
    uint32_t sectionCount;
    uint32_t reserved2;          ///< 0
    std::array<char, 16> target; ///< "cpu", "cuda"; padded with one or more zeros
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
