// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"

namespace kiln::trtexec {
namespace {

struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

} // namespace

void requireFile(std::string const& option, std::string const& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
        fail("[files] {}: cannot open '{}': {}", option, path, std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        fail("[files] {}: expected a file, got the folder '{}'", option, path);
    }
    if (::access(path.c_str(), R_OK) != 0) {
        fail("[files] {}: cannot read '{}': {}", option, path, std::strerror(errno));
    }
}

void readWhole(std::string const& path, std::string const& what, void* data, size_t bytes) {
    requireFile(what, path);
    struct stat status{};
    ::stat(path.c_str(), &status);
    if (static_cast<size_t>(status.st_size) != bytes) {
        fail("[files] {}: expected {} bytes, got {} in '{}'", what, bytes, status.st_size, path);
    }
    File const file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr || std::fread(data, 1, bytes, file.get()) != bytes) {
        fail("[files] {}: cannot read '{}': {}", what, path, std::strerror(errno));
    }
}

std::string readText(std::string const& option, std::string const& path) {
    requireFile(option, path);
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
        fail("[files] {}: cannot read '{}': {}", option, path, std::strerror(errno));
    }
    return bytes;
}

std::string fileNameOf(std::string name) {
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '/' || c == ' '; }, '_');
    return name;
}

void writeWhole(std::string const& path, void const* data, size_t bytes) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    // Only a regular file can be replaced; devices and pipes are written directly.
    bool const replace = !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
    std::string const target =
        fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : path;
    std::string const fresh = replace ? target + ".part" : path;
    File file(std::fopen(fresh.c_str(), "wb"));
    bool const written =
        file != nullptr && (bytes == 0 || std::fwrite(data, 1, bytes, file.get()) == bytes);
    bool const closed = file != nullptr && std::fclose(file.release()) == 0;
    if (!written || !closed || (replace && std::rename(fresh.c_str(), target.c_str()) != 0)) {
        int const reason = errno;
        if (replace) {
            ::unlink(fresh.c_str());
        }
        fail("[files] cannot write {} bytes to '{}': {}", bytes, path, std::strerror(reason));
    }
}

} // namespace kiln::trtexec
