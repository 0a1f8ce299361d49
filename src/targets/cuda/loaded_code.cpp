// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/loaded_code.h"

#include <map>
#include <mutex>
#include <vector>

#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

/// The modules in use by engines of this process, by GPU and bytes: a forged hash cannot select
/// other code.
struct Modules {
    std::mutex mutex;
    std::map<std::pair<int, std::vector<std::byte>>, std::weak_ptr<Module const>> known;
};

Modules& modules() {
    static auto* const all = new Modules;
    return *all;
}

std::shared_ptr<Module const> sharedModule(Gpu const& gpu, ByteView cubin) {
    std::lock_guard const lock(modules().mutex);
    auto& known = modules().known;
    std::erase_if(known, [](auto const& entry) { return entry.second.expired(); });
    std::weak_ptr<Module const>& slot = known[{gpu.handle, {cubin.begin(), cubin.end()}}];
    std::shared_ptr<Module const> module = slot.lock();
    if (module == nullptr) {
        module = std::make_shared<Module const>(cubin, gpu);
        slot = module;
    }
    return module;
}

} // namespace

LoadedCode::LoadedCode(ByteView code) {
    if (!gpuProblem().empty()) {
        return;
    }
    Gpu const& gpu = Gpu::current();
    CodeImage image;
    try {
        image = codeFor(gpu.architecture, code);
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported) {
            throw;
        }
        problem_ = error.what(); // thrown only when a function is requested
        return;
    }
    architecture_ = image.architecture;
    module_ = sharedModule(gpu, image.bytes);
}

std::size_t LoadedCode::known() {
    std::lock_guard const lock(modules().mutex);
    return modules().known.size();
}

CUfunction LoadedCode::function(std::string_view name) const {
    if (!problem_.empty()) {
        raise(ErrorKind::kUnsupported, problem_);
    }
    return module_ == nullptr ? nullptr : module_->function(std::string(name));
}

void LoadedCode::allowShared(CUfunction function, int64_t bytes) const {
    if (module_ != nullptr && bytes > 0) {
        module_->allowShared(function, bytes);
    }
}

} // namespace kiln::targets::cuda
