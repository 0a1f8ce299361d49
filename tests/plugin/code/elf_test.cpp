// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files: each gives an Error, never a read out of bounds (which sanitizer builds find), and
// no more memory is used than the file justifies.
#include "plugin/code/elf.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_info.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

std::string problemOf(Bytes const& bytes, ErrorKind kind = ErrorKind::kCorruptData) {
    return errorOf(kind, [&] { ElfFile(bytes).symbols(ElfFile::kDynamicSymbols); });
}

template <typename T>
Bytes with(std::size_t offset, T value) {
    Bytes bytes = test::sampleSharedObject({"f"});
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

std::vector<Bytes> samples() {
    return {test::sampleCubin(), test::sampleSharedObject({"add", "mul"}),
            test::bytesOf(test::kSamplePtx)};
}

/// Inspects code that may be damaged; an Error is a correct result.
void tryInspect(ByteView bytes) {
    try {
        inspectCode(bytes);
    } catch (Error const&) {
    }
}

TEST(Elf, FindsSections) {
    Bytes const bytes = test::sampleSharedObject({"f"});
    ElfFile const file(bytes);
    ASSERT_NE(file.find(".dynstr"), nullptr);
    EXPECT_EQ(file.find(".text"), nullptr);
    EXPECT_TRUE(file.symbols(ElfFile::kSymbolTable).empty());
}

TEST(Elf, DamagedHeaders) {
    EXPECT_THAT(problemOf(Bytes(20)),
                HasSubstr("expected 64 bytes of the ELF header at byte 0, got "
                          "a file of 20 bytes"));
    EXPECT_THAT(problemOf(with(4, uint8_t{1}), ErrorKind::kInvalidArgument),
                HasSubstr("expected a little-endian 64-bit ELF file, got class 1, byte order 1"));
    EXPECT_THAT(problemOf(with(40, ~uint64_t{0})), HasSubstr("bytes of section headers at byte"));
    EXPECT_THAT(problemOf(with(58, uint16_t{40})),
                HasSubstr("expected section headers of 64 bytes"));
    EXPECT_THAT(problemOf(with(62, uint16_t{9})), HasSubstr("got 64 bytes and number 9"));
}

TEST(Elf, DamagedSectionsAndNames) {
    Bytes const whole = test::sampleSharedObject({"f"});
    std::size_t const dynsym = whole.size() - 3 * 64; // header of the second of four sections
    EXPECT_THAT(problemOf(with(dynsym + 32, ~uint64_t{0})),
                HasSubstr("bytes of a section at byte"));
    EXPECT_THAT(problemOf(with(dynsym, uint32_t{999})), HasSubstr("expected a name at byte 999"));
    EXPECT_THAT(problemOf(with(dynsym + 40, uint32_t{77})),
                HasSubstr("expected the names of its symbols in one of 4 sections, got number 77"));
    EXPECT_THAT(problemOf(with(64 + 24, uint32_t{0xffffff})), HasSubstr("expected a name at byte"));
}

TEST(Elf, NoSections) {
    EXPECT_TRUE(ElfFile(with(60, uint16_t{0})).sections().empty());
}

TEST(Elf, ReadsPastTheEndAreRefused) {
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [] { readAt<uint32_t>(ByteView(), 4, "a number"); }),
        HasSubstr("expected a number at byte 4, got an end after 0 bytes"));
}

TEST(DamagedCode, EveryTruncationIsAnswered) {
    for (Bytes const& sample : samples()) {
        for (std::size_t size = 0; size < sample.size(); ++size) {
            Bytes const part(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(size));
            tryInspect(part); // an exact copy, so that sanitizers find a read past the end
        }
    }
}

TEST(DamagedCode, EveryByteFlipIsAnswered) {
    std::mt19937_64 random(1);
    for (Bytes const& sample : samples()) {
        for (std::size_t at = 0; at < sample.size(); ++at) {
            Bytes flipped = sample;
            flipped[at] ^= static_cast<std::byte>(1U << (random() % 8));
            flipped[random() % flipped.size()] = static_cast<std::byte>(random() % 256);
            tryInspect(flipped);
        }
    }
}

} // namespace
} // namespace kiln::plugin
