// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"

namespace kiln {

/// TMPDIR, or /tmp.
std::string defaultTemporaryDirectory();

/// In which ways the bytes of a library may be handed to the system's loader.
struct HandOver {
    bool inMemory = true;      ///< as a file that exists in memory only
    bool temporaryFile = true; ///< as a private file that is deleted at once
    std::string directory;     ///< of that file
};

/// dlopen() with all symbols bound and none shared. Throws kInvalidArgument with the loader's
/// words; `name` is for the message.
void* openObject(std::string const& path, std::string const& name);

/// dlclose(). Returns whether the object has left the process: one with unique symbols never does.
bool closeObject(void* handle) noexcept;

/// The path under which the loader knows an object.
std::string pathOf(void* handle);

/// Whether an address lies in the code or the static data of an object.
bool liesIn(void* handle, void const* address) noexcept;

/// A path under which the loader finds bytes, for as long as the object lives.
class TransientFile {
public:
    /// Throws kInvalidState when no way is allowed, kInvalidArgument when the system refuses.
    TransientFile(ByteView bytes, std::string const& name, HandOver const& ways);
    ~TransientFile();
    TransientFile(TransientFile const&) = delete;
    TransientFile& operator=(TransientFile const&) = delete;

    std::string const& path() const noexcept { return path_; }
    /// Takes the file out of its directory; what is open stays readable.
    void hide() noexcept;

private:
    bool inMemory(ByteView bytes, std::string const& name);
    void onDisk(ByteView bytes, std::string const& name, std::string const& directory);

    std::string path_;
    int fd_ = -1;
    bool named_ = false; ///< in a directory
};

} // namespace kiln
