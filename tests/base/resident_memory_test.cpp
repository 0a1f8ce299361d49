// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/resident_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/mapped_file.h"

namespace kiln::test {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20;

/// Pages of files that are in this process's memory, in bytes.
std::size_t residentFileBytes() {
    std::ifstream status("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    std::size_t shared = 0;
    status >> all >> resident >> shared;
    return shared * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class ResidentMemory : public testing::Test {
protected:
    void SetUp() override {
        std::vector<char> bytes(kBytes);
        std::iota(bytes.begin(), bytes.end(), char{0});
        std::ofstream(path_, std::ios::binary).write(bytes.data(), kBytes);
    }
    void TearDown() override { std::remove(path_.c_str()); }

    static int64_t sum(ByteView bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, [](int64_t all, auto byte) {
            return all + std::to_integer<int64_t>(byte);
        });
    }

    std::string path_ = testing::TempDir() + "kiln_resident_memory_test";
};

TEST_F(ResidentMemory, PagesOfMappedFilesLeaveAndComeBack) {
    MappedFile const file(path_);
    releaseFilePages(file.bytes()); // its first call loads pages of code
    int64_t const before = sum(file.bytes());
    std::size_t const resident = residentFileBytes();
    releaseFilePages(file.bytes().subspan(100, kBytes / 2));
    EXPECT_LE(residentFileBytes() + kBytes / 2, resident + kBytes / 64);
    EXPECT_EQ(sum(file.bytes()), before);
    EXPECT_GE(residentFileBytes() + kBytes / 64, resident);
}

TEST_F(ResidentMemory, OtherMemoryStays) {
    std::vector<std::byte> heap(kBytes, std::byte{7});
    releaseFilePages(heap);
    EXPECT_EQ(sum(heap), static_cast<int64_t>(7 * kBytes));

    // Pages of a file that the process changed, writable and read-only.
    int const file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    void* const data = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    ::close(file);
    ASSERT_NE(data, MAP_FAILED);
    std::fill_n(static_cast<char*>(data), kBytes / 2, 'x');
    ByteView const bytes(static_cast<std::byte const*>(data), kBytes);
    int64_t const before = sum(bytes);
    releaseFilePages(bytes);
    EXPECT_EQ(sum(bytes), before);
    ASSERT_EQ(::mprotect(data, kBytes, PROT_READ), 0);
    releaseFilePages(bytes);
    EXPECT_EQ(sum(bytes), before);
    ::munmap(data, kBytes);
}

TEST_F(ResidentMemory, AnyRangeMayBeGiven) {
    releaseFilePages({});
    static constexpr char kText[] = "some text";
    releaseFilePages({reinterpret_cast<std::byte const*>(kText), sizeof(kText)});
    MappedFile const file(path_);
    releaseFilePages(file.bytes().first(1));
    EXPECT_EQ(std::to_integer<int>(file.bytes()[1]), 1);
}

TEST_F(ResidentMemory, PagesOfReadBytesLeaveTogether) {
    MappedFile const file(path_);
    releaseFilePages(file.bytes()); // its first call loads pages of code
    int64_t const before = sum(file.bytes());
    std::size_t const resident = residentFileBytes();
    FilePageReleaser read;
    constexpr std::size_t kPart = std::size_t{48} << 10; // less than one release is worth
    for (std::size_t at = kBytes; at > 0;) {
        std::size_t const size = std::min(at, kPart);
        at -= size;
        read.add(file.bytes().subspan(at, size));
    }
    read.release();
    EXPECT_LE(residentFileBytes() + kBytes, resident + kBytes / 16);
    EXPECT_EQ(sum(file.bytes()), before);
}

TEST_F(ResidentMemory, PagesLeaveBeforeANewPeak) {
    MappedFile const file(path_);
    ByteView const bytes = file.bytes();
    constexpr std::size_t kTooMuch = std::size_t{1} << 40;
    ResidentPeak peak;
    peak.expect(kTooMuch, {&bytes, 1}); // its first call loads pages of code
    int64_t const before = sum(bytes);
    std::size_t const resident = residentFileBytes();
    peak.expect(kTooMuch / 2, {&bytes, 1}); // no new peak
    EXPECT_GE(residentFileBytes() + kBytes / 16, resident);
    peak.expect(2 * kTooMuch, {&bytes, 1});
    EXPECT_LE(residentFileBytes() + kBytes, resident + kBytes / 16);
    EXPECT_EQ(sum(bytes), before);
}

TEST_F(ResidentMemory, PagesAroundReadBytesLeaveWithThem) {
    MappedFile const file(path_);
    releaseFilePages(file.bytes()); // its first call loads pages of code
    int64_t const before = sum(file.bytes());
    std::size_t const resident = residentFileBytes();
    FilePageReleaser read;
    read.add(file.bytes().subspan(kBytes / 2, 1));
    read.release();
    EXPECT_LE(residentFileBytes() + FilePageReleaser::kAround, resident + kBytes / 16);
    EXPECT_EQ(sum(file.bytes()), before);
}

int timesAsked = 0;

TEST(SpareMemory, EveryOwnerIsAskedOnce) {
    auto const count = []() noexcept { ++timesAsked; };
    addSpareMemory(count);
    addSpareMemory(count);
    releaseSpareMemory();
    EXPECT_EQ(timesAsked, 1);
}

TEST(HeapTrimmer, TrimsTheHeap) {
    HeapTrimmer heap;
    std::vector<char>(HeapTrimmer::kTrimAfter, 'x').clear();
    heap.freed(HeapTrimmer::kTrimAfter);
    heap.freed(1);
}

} // namespace
} // namespace kiln::test
