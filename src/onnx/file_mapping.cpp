// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::onnx {

std::shared_ptr<FileMapping const> FileMapping::open(std::string const& path) {
    std::shared_ptr<FileMapping> const mapping(new FileMapping); // may throw: before the mapping
    mapping->path_ = path;
    // Does not wait for the writer of a pipe.
    int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return nullptr;
    }
    struct stat status{};
    void* data = MAP_FAILED;
    size_t size = 0;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size = static_cast<size_t>(status.st_size);
        data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    ::close(file);
    if (data == MAP_FAILED) {
        return nullptr;
    }
    mapping->bytes_ = {static_cast<std::byte const*>(data), size};
    return mapping;
}

FileMapping::~FileMapping() {
    if (!bytes_.empty()) {
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

void FileMapping::releasePages() const noexcept {
    if (!bytes_.empty()) {
        ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
    }
}

} // namespace kiln::onnx
