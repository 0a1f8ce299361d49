// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's own compiler beside the emulated one, which knows no registers: it is opened under the
// path in KILN_EMULATION_NVRTC.
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

#include "emulation/kernel_limits.h"
#include "targets/cuda/driver/nvrtc.h"

namespace kiln::emulation {
namespace {

/// NVRTC finds its built-in functions in a library that is open already, or on the loader's path.
void openBuiltins(std::filesystem::path const& compiler) {
    std::error_code ignored;
    for (auto const& file : std::filesystem::directory_iterator(compiler.parent_path(), ignored)) {
        if (file.path().filename().string().rfind("libnvrtc-builtins.so", 0) == 0) {
            dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
}

struct Compiler {
#define KILN_MEMBER(symbol, member, parameters) int(*member) parameters = nullptr;
    KILN_NVRTC_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER
    bool works = false;

    explicit Compiler(char const* path) {
        openBuiltins(path);
        void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (library == nullptr) {
            return;
        }
        works = true;
#define KILN_LOOK_UP(symbol, member, parameters)                                                   \
    member = reinterpret_cast<decltype(member)>(dlsym(library, #symbol));                          \
    works = works && member != nullptr;
        KILN_NVRTC_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    }
};

std::string logOf(Compiler const& compiler, void* program) {
    std::size_t bytes = 0;
    compiler.getProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    compiler.getProgramLog(program, log.data());
    return log.c_str();
}

} // namespace

std::string const& compilerForLimits() {
    static std::string const path = [] {
        char const* const text = std::getenv("KILN_EMULATION_NVRTC");
        return std::string(text == nullptr ? "" : text);
    }();
    return path;
}

bool compileForLimits(std::string const& name, std::string const& source,
                      std::vector<std::pair<std::string, std::string>> const& headers,
                      std::vector<std::string> const& options, std::vector<KernelLimits>& limits,
                      std::string& log) {
    static Compiler const compiler(compilerForLimits().c_str());
    if (!compiler.works) {
        log += "KILN_EMULATION_NVRTC: no NVRTC at '" + compilerForLimits() + "'\n";
        return false;
    }
    std::vector<char const*> texts;
    std::vector<char const*> names;
    for (auto const& [headerName, text] : headers) {
        names.push_back(headerName.c_str());
        texts.push_back(text.c_str());
    }
    std::vector<char const*> given;
    for (std::string const& option : options) {
        given.push_back(option.c_str());
    }
    void* program = nullptr;
    compiler.createProgram(&program, source.c_str(), name.c_str(), static_cast<int>(names.size()),
                           texts.data(), names.data());
    bool const good =
        compiler.compileProgram(program, static_cast<int>(given.size()), given.data()) == 0;
    log += logOf(compiler, program);
    if (good) {
        std::size_t bytes = 0;
        compiler.getCUBINSize(program, &bytes);
        std::string cubin(bytes, '\0');
        compiler.getCUBIN(program, cubin.data());
        limits = limitsOfCubin(cubin);
    }
    compiler.destroyProgram(&program);
    return good;
}

} // namespace kiln::emulation
