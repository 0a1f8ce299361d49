// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/driver/library.h"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

#include "base/library_folders.h"

namespace kiln::targets::cuda {
namespace {

/// The site-packages folder, if Kiln's own library is installed in one.
std::string ownPackages() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void const*>(&addLibraryFolder), &info) == 0) {
        return {};
    }
    std::error_code ignored;
    std::filesystem::path folder = std::filesystem::absolute(info.dli_fname, ignored);
    // site-packages/kiln/lib/libkiln.so
    for (int up = 0; up < 3 && folder.has_parent_path(); ++up) {
        folder = folder.parent_path();
    }
    return folder.string();
}

/// Each added folder and its nvidia/*/lib, where NVIDIA's wheels install libraries.
std::vector<std::string> foldersToSearch() {
    std::vector<std::string> added = libraryFolders();
    added.push_back(ownPackages());
    std::vector<std::string> folders;
    std::error_code ignored;
    for (std::filesystem::path const folder : added) {
        folders.push_back(folder.string());
        for (auto const& entry : std::filesystem::directory_iterator(folder / "nvidia", ignored)) {
            folders.push_back((entry.path() / "lib").string());
        }
    }
    folders.emplace_back("/usr/local/cuda/lib64");
    return folders;
}

} // namespace

Library::Library(LibraryNames const& names) {
    if (char const* const file = std::getenv(names.variable); file != nullptr && *file != 0) {
        handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) {
            problem_ =
                fmt::format("{} was not opened, {}={}: {}. Correct the variable, or unset it",
                            names.title, names.variable, file, dlerror());
        }
        return;
    }
    for (char const* const file : names.files) {
        handle_ = handle_ != nullptr ? handle_ : dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    }
    for (std::size_t i = 0; handle_ == nullptr && i < names.files.size(); ++i) {
        handle_ = dlopen(names.files[i], RTLD_NOW | RTLD_LOCAL);
    }
    for (std::string const& folder :
         handle_ == nullptr ? foldersToSearch() : std::vector<std::string>{}) {
        for (char const* const file : names.files) {
            handle_ = handle_ != nullptr
                          ? handle_
                          : dlopen((folder + "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (handle_ == nullptr) {
        problem_ = fmt::format("{} ({}) was not found. {}, or name its file in {}", names.title,
                               names.files.front(), names.remedy, names.variable);
    }
}

bool Library::isPresent(LibraryNames const& names) {
    std::error_code ignored;
    if (char const* const file = std::getenv(names.variable); file != nullptr && *file != 0) {
        return std::filesystem::exists(file, ignored);
    }
    for (std::string const& folder : foldersToSearch()) {
        for (char const* const file : names.files) {
            if (std::filesystem::exists(std::filesystem::path(folder) / file, ignored)) {
                return true;
            }
        }
    }
    return false;
}

std::string Library::file() const {
    link_map const* map = nullptr;
    if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) {
        return {};
    }
    return map->l_name;
}

void* Library::symbol(char const* name) const noexcept {
    return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

} // namespace kiln::targets::cuda
