// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace kiln {
namespace {

link_map const* mapOf(void* handle) noexcept {
    link_map* map = nullptr;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
}

bool writeAll(int fd, ByteView bytes) noexcept {
    while (!bytes.empty()) {
        ssize_t const written = ::write(fd, bytes.data(), bytes.size());
        if (written <= 0 && errno != EINTR) {
            return false;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written > 0 ? written : 0));
    }
    return true;
}

} // namespace

std::string defaultTemporaryDirectory() {
    char const* const directory = std::getenv("TMPDIR");
    return directory == nullptr ? "/tmp" : directory;
}

void* openObject(std::string const& path, std::string const& name) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] plugin library '{}': {}. Check the path and the libraries that it needs.",
             name, orEmpty(dlerror()));
    }
    return handle;
}

bool closeObject(void* handle) noexcept {
    // A destructor may call this when memory is exhausted, so the path is copied to the stack.
    link_map const* const map = mapOf(handle);
    char path[PATH_MAX] = "";
    std::strncat(path, map == nullptr ? "" : orEmpty(map->l_name), sizeof(path) - 1);
    dlclose(handle);
    void* const resident = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (resident != nullptr) {
        dlclose(resident);
    }
    return resident == nullptr;
}

std::string pathOf(void* handle) {
    link_map const* const map = mapOf(handle);
    return map == nullptr ? "" : orEmpty(map->l_name);
}

bool liesIn(void* handle, void const* address) noexcept {
    link_map const* const map = mapOf(handle);
    Dl_info info{};
    return map != nullptr && dladdr(address, &info) != 0 &&
           reinterpret_cast<ElfW(Addr)>(info.dli_fbase) == map->l_addr;
}

TransientFile::TransientFile(ByteView bytes, std::string const& name, HandOver const& ways) {
    if (ways.inMemory && inMemory(bytes, name)) {
        return;
    }
    if (!ways.temporaryFile) {
        fail(ErrorKind::kInvalidState,
             "[plan] plugin library '{}': expected an allowed way to hand it to the loader, got "
             "none. Set ALLOW_IN_MEMORY_FILES or ALLOW_TEMPORARY_FILES in the runtime's tempfile "
             "control flags.",
             name);
    }
    onDisk(bytes, name, ways.directory);
}

/// Returns false if the system does not support such files.
bool TransientFile::inMemory(ByteView bytes, std::string const& name) {
    fd_ = memfd_create(name.c_str(), MFD_CLOEXEC);
    path_ = fmt::format("/proc/self/fd/{}", fd_);
    if (fd_ >= 0 && writeAll(fd_, bytes) && ::access(path_.c_str(), R_OK) == 0) {
        return true;
    }
    if (fd_ >= 0) {
        ::close(fd_);
        fd_ = -1;
    }
    return false;
}

void TransientFile::onDisk(ByteView bytes, std::string const& name, std::string const& directory) {
    path_ = directory + "/kiln-XXXXXX";
    fd_ = mkostemp(path_.data(), O_CLOEXEC); // readable by this user only
    named_ = fd_ >= 0;
    if (!named_ || !writeAll(fd_, bytes)) {
        std::string const reason = std::strerror(errno);
        hide();
        if (fd_ >= 0) {
            ::close(fd_);
        }
        fail(ErrorKind::kInvalidArgument,
             "[plan] plugin library '{}': expected a place for a temporary file in '{}', got: {}. "
             "Give the runtime another temporary directory.",
             name, directory, reason);
    }
}

void TransientFile::hide() noexcept {
    if (named_) {
        ::unlink(path_.c_str());
        named_ = false;
    }
}

TransientFile::~TransientFile() {
    hide();
    ::close(fd_);
}

} // namespace kiln
