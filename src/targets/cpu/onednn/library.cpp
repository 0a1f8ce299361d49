// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/resident_memory.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/onednn/openmp.h"

namespace kiln::targets::cpu::onednn {
namespace {

namespace fs = std::filesystem;

/// Generated code that no kernel uses, which oneDNN keeps for equal ones.
void releaseCodeCache() noexcept {
    Library const& library = Library::instance();
    int capacity = 0;
    if (library.get_primitive_cache_capacity(&capacity) == dnnl_success) {
        library.set_primitive_cache_capacity(0);
        library.set_primitive_cache_capacity(capacity);
    }
}

struct Opened {
    Library functions;
    std::string problem;
};

/// Where the two libraries may be: in an installed tree, and for programs of the build tree.
std::vector<fs::path> folders() {
    if (char const* const given = std::getenv("KILN_ONEDNN")) {
        return {given};
    }
    Dl_info info{};
    if (dladdr(reinterpret_cast<void const*>(&folders), &info) == 0) {
        return {};
    }
    fs::path const own = fs::absolute(info.dli_fname).parent_path();
    return {own / "kiln/onednn", own.parent_path() / "lib/kiln/onednn"};
}

constexpr char const* kMissing =
    "oneDNN is missing: expected kiln/onednn/libkdnnl.so beside Kiln's library. Install Kiln "
    "again, or name the folder in KILN_ONEDNN";

bool isIn(fs::path const& folder) {
    std::error_code ignored;
    return fs::exists(folder / "libkdnnl.so", ignored);
}

std::string loaderText() {
    char const* const text = dlerror();
    return text == nullptr ? "" : text;
}

/// Stays open until the process ends.
void* openIn(fs::path const& folder, Opened& opened) {
    // The loader finds libkomp.so by its name when oneDNN asks for it, since it is open by then.
    void* const komp = dlopen((folder / "libkomp.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const connect = komp == nullptr ? nullptr : dlsym(komp, "komp_connect");
    if (connect == nullptr) {
        opened.problem = "oneDNN cannot be opened: " + loaderText();
        return nullptr;
    }
    reinterpret_cast<KompConnect>(connect)(&kOpenMp);
    opened.functions.file = (folder / "libkdnnl.so").string();
    void* const handle = dlopen(opened.functions.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        opened.problem = "oneDNN cannot be opened: " + loaderText();
    }
    return handle;
}

Opened open() {
    Opened opened;
    opened.problem = kMissing;
    for (fs::path const& folder : folders()) {
        if (!isIn(folder)) {
            continue;
        }
        opened.problem.clear();
        void* const handle = openIn(folder, opened);
        if (handle == nullptr) {
            return opened;
        }
#define KILN_LOOK_UP(name)                                                                         \
    opened.functions.name =                                                                        \
        reinterpret_cast<decltype(opened.functions.name)>(dlsym(handle, "dnnl_" #name));           \
    if (opened.functions.name == nullptr && opened.problem.empty()) {                              \
        opened.problem = "oneDNN lacks dnnl_" #name "; expected version 3.2";                      \
    }
        KILN_ONEDNN_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
        break;
    }
    if (!opened.problem.empty()) {
        return opened;
    }
    dnnl_version_t const* const version = opened.functions.version();
    if (version->major != DNNL_VERSION_MAJOR || version->minor != DNNL_VERSION_MINOR) {
        opened.problem = fmt::format("expected oneDNN {}.{}, got {}.{}", DNNL_VERSION_MAJOR,
                                     DNNL_VERSION_MINOR, version->major, version->minor);
    } else if (opened.functions.engine_create(&opened.functions.engine, dnnl_cpu, 0) !=
               dnnl_success) {
        opened.problem = "oneDNN does not start";
    } else {
        // Of 42 MiB of code, initializers scattered over it load 15.
        releaseCodePages(reinterpret_cast<void const*>(opened.functions.version));
        addLibraryCode(reinterpret_cast<void const*>(opened.functions.version));
        addSpareMemory(&releaseCodeCache);
    }
    return opened;
}

Opened const& opened() {
    static auto const* const once = new Opened(open()); // engines may outlive main()
    return *once;
}

} // namespace

Library const& Library::instance() {
    if (!problem().empty()) {
        fail(ErrorKind::kUnsupported, "[cpu] {}.", problem());
    }
    return opened().functions;
}

std::string const& Library::problem() {
    return opened().problem;
}

void Library::expectFile() {
    static bool const found = [] {
        std::vector<fs::path> const places = folders();
        return std::any_of(places.begin(), places.end(), isIn);
    }();
    if (!found) {
        fail(ErrorKind::kUnsupported, "[cpu] {}.", kMissing);
    }
}

void Library::check(dnnl_status_t status, char const* action) const {
    if (status == dnnl_out_of_memory) {
        fail(ErrorKind::kOutOfMemory, "[cpu] oneDNN, {}: out of memory. Use smaller shapes.",
             action);
    }
    if (status != dnnl_success) {
        fail(ErrorKind::kUnsupported, "[cpu] oneDNN, {}: expected success, got status {}.", action,
             static_cast<int>(status));
    }
}

target::LibraryStatus status() {
    target::LibraryStatus status{"oneDNN", {}, {}, Library::problem()};
    if (status.problem.empty()) {
        Library const& library = Library::instance();
        dnnl_version_t const* const version = library.version();
        status.version = fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
        status.file = library.file;
    }
    return status;
}

} // namespace kiln::targets::cpu::onednn
