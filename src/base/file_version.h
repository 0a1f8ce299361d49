// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sys/types.h>

#include <ctime>

namespace kiln {

/// A file as it was at one time. Throws kInvalidArgument, with the system's reason, if it is not
/// there.
class FileVersion {
public:
    explicit FileVersion(std::string const& path);

    std::string const& path() const noexcept { return path_; }
    /// Whether the same file has another content, by its size and time. A file that was removed or
    /// replaced is another one: who has opened the old one still sees the old content.
    bool hasChanged() const noexcept;

private:
    std::string path_; ///< absolute
    dev_t device_;
    ino_t file_;
    off_t size_;
    std::timespec time_;
};

} // namespace kiln
