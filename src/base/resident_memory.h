// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace kiln {

/// Gives free memory of the heap back to the system, where the C library can: freed blocks leave
/// gaps, which larger blocks and mappings cannot use.
void trimHeap() noexcept;

/// Takes the pages of read-only mapped files that lie wholly in `bytes` out of this process's
/// memory. The next access reads them again, as a rule from the system's cache of the file. Other
/// memory, and pages that the process changed, stay as they are.
void releaseFilePages(ByteView bytes) noexcept;

/// As releaseFilePages() for the code and read-only data of the library that contains `address`,
/// most of which runs once. Nothing on systems without a list of libraries.
void releaseCodePages(void const* address) noexcept;

/// Adds the library that contains `address` to those that releaseLibraryCode() knows, once.
void addLibraryCode(void const* address);
/// Releases the code pages of these libraries and of Kiln's own.
void releaseLibraryCode() noexcept;

/// Adds a function that gives back memory which a part of Kiln keeps for later. Each once.
void addSpareMemory(void (*release)() noexcept);
/// Runs these functions, releases the code of libraries and trims the heap. Takes about a
/// millisecond, and some more until pages and caches are back.
void releaseSpareMemory() noexcept;

/// Keeps the peak of this process's memory low: it knows the peak so far.
class ResidentPeak {
public:
    /// Less is allocated without expect().
    static constexpr std::size_t kWorthExpecting = std::size_t{64} << 10;

    /// Before `bytes` are allocated: if they would make a new peak, pages that come back by
    /// themselves leave, those of code and of mapped files around what was `read`. Takes some
    /// microseconds, and a millisecond if they leave.
    void expect(std::size_t bytes, std::span<ByteView const> read);

private:
    std::size_t most_ = 0; ///< a peak that was there, or would have been without pages that left
};

/// Counts memory that is freed, and releases spare memory each time it amounts to `trimAfter`.
class HeapTrimmer {
public:
    static constexpr std::size_t kTrimAfter = std::size_t{16} << 20;

    explicit HeapTrimmer(std::size_t trimAfter = kTrimAfter) noexcept : trimAfter_(trimAfter) {}

    void freed(std::size_t bytes) noexcept {
        freed_ += bytes;
        if (freed_ >= trimAfter_) {
            releaseSpareMemory();
            freed_ = 0;
        }
    }

private:
    std::size_t trimAfter_;
    std::size_t freed_ = 0;
};

/// Collects memory that was read, and releases its file pages when it may have brought more than
/// kReleaseAfter into memory: those of neighbours together, since lists of mappings and pages take
/// time to read.
class FilePageReleaser {
public:
    /// An access to a page of a file brings up to this many bytes around it into memory, where the
    /// system's cache holds the file in large pages.
    static constexpr std::size_t kAround = std::size_t{2} << 20;
    static constexpr std::size_t kReleaseAfter = kAround;

    void add(ByteView bytes);
    void release() noexcept;

private:
    std::vector<ByteView> waiting_;
    std::vector<std::uintptr_t> blocks_; ///< of kAround bytes that were read, sorted
};

} // namespace kiln
