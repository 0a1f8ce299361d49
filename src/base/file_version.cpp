// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/file_version.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace kiln {

FileVersion::FileVersion(std::string const& path) : path_(std::filesystem::absolute(path)) {
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) {
        fail(ErrorKind::kInvalidArgument, "[files] cannot read '{}': {}.", path_,
             std::strerror(errno));
    }
    device_ = status.st_dev;
    file_ = status.st_ino;
    size_ = status.st_size;
    time_ = status.st_mtim;
}

bool FileVersion::hasChanged() const noexcept {
    struct stat now{};
    return ::stat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == file_ &&
           (now.st_size != size_ || now.st_mtim.tv_sec != time_.tv_sec ||
            now.st_mtim.tv_nsec != time_.tv_nsec);
}

} // namespace kiln
