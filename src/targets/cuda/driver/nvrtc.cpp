// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/driver/nvrtc.h"

#include <filesystem>
#include <memory>
#include <mutex>

#include <dlfcn.h>

#include "base/gpu_architecture.h"
#include "base/lru_cache.h"
#include "targets/cuda/driver/library.h"
#include "targets/cuda/kernel_texts.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr int kInvalidOption = 5; // NVRTC_ERROR_INVALID_OPTION: an unknown architecture

struct Nvrtc {
#define KILN_MEMBER(symbol, member, parameters) int(*member) parameters = nullptr;
    KILN_NVRTC_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER
    std::string problem;
    std::string file;
};

/// NVRTC searches only the loader's path for its builtins library, and a wheel's folder is not in
/// it. Once loaded, the library is found by its name.
void loadBuiltins(std::filesystem::path const& nvrtc) {
    std::error_code ignored;
    for (auto const& entry : std::filesystem::directory_iterator(nvrtc.parent_path(), ignored)) {
        if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) {
            dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
}

Nvrtc open() {
    Nvrtc nvrtc;
    Library const library({"NVRTC", "KILN_NVRTC", kFiles,
                           "Install the package nvidia-cuda-nvrtc or NVIDIA's toolkit"});
    nvrtc.problem = library.problem();
    nvrtc.file = library.file();
    loadBuiltins(nvrtc.file);
#define KILN_LOOK_UP(name, member, parameters)                                                     \
    nvrtc.member = reinterpret_cast<decltype(nvrtc.member)>(library.symbol(#name));                \
    if (nvrtc.member == nullptr && nvrtc.problem.empty()) {                                        \
        nvrtc.problem = "NVRTC lacks " #name "; expected one of CUDA 12 or later";                 \
    }
    KILN_NVRTC_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    return nvrtc;
}

Nvrtc const& nvrtc() {
    static auto const* const once = new Nvrtc(open());
    return *once;
}

/// One program of NVRTC.
class Compilation {
public:
    explicit Compilation(SourceText const& source) {
        std::vector<char const*> texts;
        std::vector<char const*> names;
        for (KernelText const& header : kernelTexts()) {
            texts.push_back(header.text);
            names.push_back(header.name);
        }
        if (nvrtc().createProgram(&program_, source.text.c_str(), source.name.c_str(),
                                  static_cast<int>(texts.size()), texts.data(),
                                  names.data()) != 0) {
            fail(ErrorKind::kInternal,
                 "[cuda] {}: NVRTC does not take the source. Report this as a defect of Kiln.",
                 source.name);
        }
    }
    ~Compilation() { nvrtc().destroyProgram(&program_); }
    Compilation(Compilation const&) = delete;
    Compilation& operator=(Compilation const&) = delete;

    int compile(std::vector<std::string> const& options) {
        std::vector<char const*> texts;
        for (std::string const& option : options) {
            texts.push_back(option.c_str());
        }
        return nvrtc().compileProgram(program_, static_cast<int>(texts.size()), texts.data());
    }

    std::string log() const {
        std::size_t bytes = 0;
        std::string text;
        if (nvrtc().getProgramLogSize(program_, &bytes) == 0 && bytes > 1) {
            text.resize(bytes);
            nvrtc().getProgramLog(program_, text.data());
            text.resize(bytes - 1); // without the terminating zero byte
        }
        return text;
    }

    Bytes cubin() const {
        std::size_t bytes = 0;
        nvrtc().getCUBINSize(program_, &bytes);
        Bytes code(bytes);
        nvrtc().getCUBIN(program_, reinterpret_cast<char*>(code.data()));
        return code;
    }

    Bytes ptx() const {
        std::size_t bytes = 0;
        nvrtc().getPTXSize(program_, &bytes);
        Bytes code(bytes);
        nvrtc().getPTX(program_, reinterpret_cast<char*>(code.data()));
        return code;
    }

private:
    void* program_ = nullptr;
};

Bytes compile(SourceText const& source, std::string_view architecture) {
    Compilation compilation(source);
    std::vector<std::string> options{fmt::format("--gpu-architecture={}", architecture),
                                     "--std=c++17", "--device-as-default-execution-space"};
    for (auto const& [name, value] : source.defines) {
        options.push_back(fmt::format("-D{}={}", name, value));
    }
    if (int const result = compilation.compile(options); result != 0) {
        std::string const log = compilation.log();
        if (result == kInvalidOption) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] NVRTC does not compile for {}: {} Install another version of it.",
                 architecture, log);
        }
        fail(ErrorKind::kInternal, "[cuda] {} for {}: NVRTC reports error {}:\n{}", source.name,
             architecture, result, log);
    }
    return namesPtx(architecture) ? compilation.ptx() : compilation.cubin();
}

constexpr std::size_t kMostCompiled = 512; // some ten kilobytes each

/// Cache of the code compiled in this process. Layers of the same kind and type share their code.
class Compiled {
public:
    Bytes get(SourceText const& source, std::string_view architecture) {
        std::string key = fmt::format("{}|{}", architecture, source.name);
        for (auto const& [name, value] : source.defines) {
            key += fmt::format("|{}={}", name, value);
        }
        key += source.text;
        std::lock_guard const lock(mutex_); // NVRTC compiles one program at a time anyway
        if (auto const known = known_.find(key); known.has_value()) {
            return **known;
        }
        auto const code = std::make_shared<Bytes const>(compile(source, architecture));
        known_.store(key, code);
        return *code;
    }

private:
    std::mutex mutex_;
    LruCache<std::string, std::shared_ptr<Bytes const>> known_{kMostCompiled};
};

} // namespace

Bytes compileSource(SourceText const& source, std::string_view architecture) {
    if (!nvrtcProblem().empty()) {
        fail(ErrorKind::kUnsupported, "[cuda] {}.", nvrtcProblem());
    }
    static auto* const compiled = new Compiled;
    return compiled->get(source, architecture);
}

target::LibraryStatus nvrtcStatus() {
    target::LibraryStatus status{"NVRTC", {}, nvrtc().file, nvrtc().problem};
    if (status.problem.empty()) {
        int major = 0;
        int minor = 0;
        nvrtc().version(&major, &minor);
        status.version = fmt::format("{}.{}", major, minor);
    }
    return status;
}

std::string const& nvrtcProblem() {
    return nvrtc().problem;
}

} // namespace kiln::targets::cuda
