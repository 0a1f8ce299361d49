// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"

namespace kiln {

/// TMPDIR, or /tmp.
std::string defaultTemporaryDirectory();

/// How the bytes of a library may be passed to the system's loader.
struct HandOver {
    bool inMemory = true;      ///< in a file that exists only in memory
    bool temporaryFile = true; ///< in a private file that is deleted at once
    std::string directory;     ///< of the temporary file
};

/// dlopen() with RTLD_NOW and RTLD_LOCAL. Throws kInvalidArgument with the loader's message and
/// `name`.
void* openObject(std::string const& path, std::string const& name);

/// dlclose(). Returns whether the object was unloaded; one with unique symbols never is.
bool closeObject(void* handle) noexcept;

/// The path under which the loader knows an object.
std::string pathOf(void* handle);

/// Whether an address lies in the code or the static data of an object.
bool liesIn(void* handle, void const* address) noexcept;

/// A file with given bytes that the loader can open by path during the lifetime of this object.
class TransientFile {
public:
    /// Throws kInvalidState if no way is allowed, kInvalidArgument if the system reports an error.
    TransientFile(ByteView bytes, std::string const& name, HandOver const& ways);
    ~TransientFile();
    TransientFile(TransientFile const&) = delete;
    TransientFile& operator=(TransientFile const&) = delete;

    std::string const& path() const noexcept { return path_; }
    /// Removes the file from its directory. Open handles stay readable.
    void hide() noexcept;

private:
    bool inMemory(ByteView bytes, std::string const& name);
    void onDisk(ByteView bytes, std::string const& name, std::string const& directory);

    std::string path_;
    int fd_ = -1;
    bool named_ = false; ///< whether path_ is in a directory
};

} // namespace kiln
