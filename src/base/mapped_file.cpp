// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kiln {
namespace {

[[noreturn]] void failWithReason(std::string const& path) {
    fail(ErrorKind::kInvalidArgument, "[file] '{}': {}. Check the path and its permissions.", path,
         std::strerror(errno));
}

} // namespace

MappedFile::MappedFile(std::string const& path) {
    int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        failWithReason(path);
    }
    struct stat status{};
    bool mapped = fstat(file, &status) == 0;
    if (mapped && status.st_size > 0) {
        size_ = static_cast<std::size_t>(status.st_size);
        data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        mapped = data_ != MAP_FAILED;
    }
    int const reason = errno;
    close(file);
    if (!mapped) {
        data_ = nullptr;
        errno = reason;
        failWithReason(path);
    }
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) {
        munmap(data_, size_);
    }
}

} // namespace kiln
