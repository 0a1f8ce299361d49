// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/resident_memory.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "base/immortal.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kiln {
namespace {

struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    bool empty() const noexcept { return begin >= end; }
};

/// The part of a range that mappings of files hold that this process cannot write to, up to the
/// first gap; empty if it does not begin in one. With up to `around` more bytes of the mappings at
/// both ends.
AddressRange mappedReadOnly(AddressRange const& range, std::size_t around) noexcept {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const maps(std::fopen("/proc/self/maps", "re"),
                                                               &std::fclose);
    AddressRange found{range.begin, range.begin};
    std::array<char, 512> line{};
    bool startsLine = true; // names of files may be longer than the buffer
    while (maps != nullptr && found.end < range.end &&
           std::fgets(line.data(), static_cast<int>(line.size()), maps.get()) != nullptr) {
        AddressRange own;
        std::array<char, 5> rights{};
        uint64_t inode = 0;
        bool const isEntry =
            startsLine && std::sscanf(line.data(), "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64,
                                      &own.begin, &own.end, rights.data(), &inode) == 4;
        startsLine = std::find(line.begin(), line.end(), '\n') != line.end();
        std::fill(line.begin(), line.end(), '\0');
        if (!isEntry || own.end <= found.end) {
            continue;
        }
        if (own.begin > found.end || rights[0] != 'r' || rights[1] != '-' || inode == 0) {
            break;
        }
        if (found.empty()) {
            found.begin -= std::min<std::uintptr_t>(around, found.begin - own.begin);
        }
        found.end = std::min(own.end, range.end + around);
    }
    return found;
}

/// Whether a page is in memory and is that of a file, not a copy of this process: bits 63 and 61 of
/// an entry of /proc/self/pagemap.
bool isFilePage(uint64_t entry) noexcept {
    constexpr uint64_t kFilePage = (uint64_t{1} << 63) | (uint64_t{1} << 61);
    return (entry & kFilePage) == kFilePage;
}

void release(AddressRange const& range, std::size_t page, int pageMap) noexcept {
    std::array<uint64_t, 512> entries{};
    AddressRange run{range.begin, range.begin};
    auto const drop = [&] {
        if (!run.empty()) {
            ::madvise(reinterpret_cast<void*>(run.begin), run.end - run.begin, MADV_DONTNEED);
        }
    };
    for (std::uintptr_t at = range.begin; at < range.end;) {
        std::size_t const count = std::min(entries.size(), (range.end - at) / page);
        auto const wanted = static_cast<ssize_t>(count * sizeof(uint64_t));
        if (::pread(pageMap, entries.data(), static_cast<std::size_t>(wanted),
                    static_cast<off_t>(at / page * sizeof(uint64_t))) != wanted) {
            break;
        }
        for (std::size_t i = 0; i < count; ++i, at += page) {
            if (isFilePage(entries[i])) {
                run.end = at + page;
            } else {
                drop();
                run = {at + page, at + page};
            }
        }
    }
    drop();
}

/// Segments of a library that are not written to, and where one of them must contain an address. A
/// fixed number, since this may run without memory; libraries have two.
struct CodeSearch {
    std::uintptr_t address = 0;
    std::array<AddressRange, 16> segments = {};
    std::size_t count = 0;
    bool found = false;

    std::span<AddressRange const> list() const noexcept { return {segments.data(), count}; }
};

int collectCode(dl_phdr_info* info, std::size_t size, void* search) noexcept {
    static_cast<void>(size);
    auto& wanted = *static_cast<CodeSearch*>(search);
    wanted.count = 0;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
        ElfW(Phdr) const& header = info->dlpi_phdr[i];
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) == 0 &&
            wanted.count < wanted.segments.size()) {
            std::uintptr_t const begin = info->dlpi_addr + header.p_vaddr;
            wanted.segments[wanted.count++] = {begin, begin + header.p_memsz};
        }
    }
    auto const list = wanted.list();
    wanted.found = std::any_of(list.begin(), list.end(), [&](AddressRange const& segment) {
        return segment.begin <= wanted.address && wanted.address < segment.end;
    });
    return wanted.found ? 1 : 0;
}

/// Bytes of this process now; 0 where the system does not tell.
std::size_t residentBytes() noexcept {
    std::array<char, 128> text{};
    int const file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t const length = file < 0 ? 0 : ::read(file, text.data(), text.size() - 1);
    if (file >= 0) {
        ::close(file);
    }
    std::size_t resident = 0;
    if (length <= 0 || std::sscanf(text.data(), "%*u %zu", &resident) != 1) {
        return 0;
    }
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// The most that this process had at a time; 0 where the system does not tell.
std::size_t mostResidentBytes() noexcept {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const status(
        std::fopen("/proc/self/status", "re"), &std::fclose);
    std::array<char, 256> line{};
    std::size_t kilobytes = 0;
    while (status != nullptr &&
           std::fgets(line.data(), static_cast<int>(line.size()), status.get()) != nullptr) {
        if (std::sscanf(line.data(), "VmHWM: %zu", &kilobytes) == 1) {
            break;
        }
    }
    return kilobytes << 10;
}

void releaseAround(ByteView bytes, std::size_t around) noexcept {
#ifdef __linux__
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto const begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    AddressRange range{roundUp(begin, page), (begin + bytes.size()) / page * page};
    if (around > 0) { // its first and last page, too
        range = {begin / page * page, roundUp(begin + bytes.size(), page)};
    }
    if (range.empty()) {
        return;
    }
    range = mappedReadOnly(range, around);
    int const pageMap = range.empty() ? -1 : ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pageMap >= 0) {
        release(range, page, pageMap);
        ::close(pageMap);
    }
#else
    static_cast<void>(bytes);
    static_cast<void>(around);
#endif
}

/// An address in each library of Kiln that is loaded, by their names. A fixed number, as above.
struct OwnLibraries {
    std::array<void const*, 8> addresses = {};
    std::size_t count = 0;
};

int collectOwnLibrary(dl_phdr_info* info, std::size_t size, void* own) noexcept {
    static_cast<void>(size);
    auto& libraries = *static_cast<OwnLibraries*>(own);
    std::string_view const path(info->dlpi_name != nullptr ? info->dlpi_name : "");
    std::string_view const name = path.substr(path.rfind('/') + 1); // npos + 1 is 0
    if (name.starts_with("libkiln") && libraries.count < libraries.addresses.size()) {
        libraries.addresses[libraries.count++] =
            reinterpret_cast<void const*>(info->dlpi_addr + info->dlpi_phdr[0].p_vaddr);
    }
    return 0;
}

struct SpareMemory {
    std::mutex mutex;
    std::vector<void (*)() noexcept> all;
    std::vector<void const*> libraries;
};

SpareMemory& spareMemory() {
    static Immortal<SpareMemory> own; // threads may outlive main
    return *own;
}

} // namespace

void releaseCodePages(void const* address) noexcept {
    CodeSearch search{reinterpret_cast<std::uintptr_t>(address)};
    ::dl_iterate_phdr(&collectCode, &search);
    int const pageMap = search.found ? ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    if (pageMap < 0) {
        return;
    }
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (AddressRange const& segment : search.list()) {
        release({roundUp(segment.begin, page), segment.end / page * page}, page, pageMap);
    }
    ::close(pageMap);
}

void addSpareMemory(void (*release)() noexcept) {
    SpareMemory& spare = spareMemory();
    std::scoped_lock const lock(spare.mutex);
    if (std::find(spare.all.begin(), spare.all.end(), release) == spare.all.end()) {
        spare.all.push_back(release);
    }
}

void addLibraryCode(void const* address) {
    SpareMemory& spare = spareMemory();
    std::scoped_lock const lock(spare.mutex);
    if (std::find(spare.libraries.begin(), spare.libraries.end(), address) ==
        spare.libraries.end()) {
        spare.libraries.push_back(address);
    }
}

void releaseLibraryCode() noexcept {
    SpareMemory& spare = spareMemory();
    {
        std::scoped_lock const lock(spare.mutex);
        for (void const* const library : spare.libraries) {
            releaseCodePages(library);
        }
    }
    OwnLibraries own;
    ::dl_iterate_phdr(&collectOwnLibrary, &own);
    for (std::size_t i = 0; i < own.count; ++i) {
        releaseCodePages(own.addresses[i]);
    }
}

void releaseSpareMemory() noexcept {
    SpareMemory& spare = spareMemory();
    {
        std::scoped_lock const lock(spare.mutex);
        for (auto const release : spare.all) {
            release();
        }
    }
    releaseLibraryCode();
    trimHeap();
}

void ResidentPeak::expect(std::size_t bytes, std::span<ByteView const> read) {
    if (bytes < kWorthExpecting || residentBytes() + bytes <= most_) {
        return;
    }
    most_ = std::max(most_, mostResidentBytes());
    if (residentBytes() + bytes <= most_) {
        return;
    }
    FilePageReleaser files;
    for (ByteView const part : read) {
        files.add(part);
    }
    files.release();
    releaseLibraryCode();
    most_ = std::max(most_, residentBytes() + bytes);
}

void trimHeap() noexcept {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void releaseFilePages(ByteView bytes) noexcept {
    releaseAround(bytes, 0);
}

void FilePageReleaser::add(ByteView bytes) {
    if (bytes.empty()) {
        return;
    }
    waiting_.push_back(bytes);
    auto const begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    for (std::uintptr_t block = begin / kAround; block <= (begin + bytes.size() - 1) / kAround;
         ++block) {
        auto const place = std::lower_bound(blocks_.begin(), blocks_.end(), block);
        if (place == blocks_.end() || *place != block) {
            blocks_.insert(place, block);
        }
    }
    if (blocks_.size() * kAround > kReleaseAfter) {
        release();
    }
}

void FilePageReleaser::release() noexcept {
    std::sort(waiting_.begin(), waiting_.end(),
              [](ByteView a, ByteView b) { return std::less<>()(a.data(), b.data()); });
    AddressRange run;
    auto const drop = [&] {
        if (!run.empty()) {
            releaseAround({reinterpret_cast<std::byte const*>(run.begin), run.end - run.begin},
                          kAround);
        }
    };
    for (ByteView const bytes : waiting_) {
        auto const begin = reinterpret_cast<std::uintptr_t>(bytes.data());
        if (run.empty() || begin > run.end + kAround) {
            drop();
            run.begin = begin;
        }
        run.end = std::max(run.end, begin + bytes.size());
    }
    drop();
    waiting_.clear();
    blocks_.clear();
}

} // namespace kiln
