// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Source of names and numbers: the headers of NVTX 3 (nvtxDetail/nvtxTypes.h, nvToolsExt.h);
// tests/python/nvtx_recorder.cpp
// uses them where they are installed.
#include "base/nvtx.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>

namespace kiln {
namespace {

using Function = void (*)();

/// The functions of one module, by number. The library writes its own into the slots that the table
/// points at; number 0 and the end have none.
template <std::size_t size>
struct Module {
    std::array<Function, size> functions{};
    std::array<Function*, size + 1> table{};

    Module() {
        for (std::size_t i = 1; i < size; ++i) {
            table[i] = &functions[i];
        }
    }
};

/// NvtxCallbackModule: 1 CORE, 2 CUDA, 3 OPENCL, 4 CUDART, 5 CORE2, 6 SYNC, with their sizes.
struct Modules {
    Module<16> core;
    Module<9> cuda;
    Module<15> opencl;
    Module<7> cudart;
    Module<16> core2;
    Module<7> sync;
};

Modules& modules() {
    static auto* const all = new Modules;
    return *all;
}

int tableOf(int module, Function*** table, unsigned* size) {
    auto const give = [&](auto& found) {
        if (table != nullptr) {
            *table = found.table.data();
        }
        if (size != nullptr) {
            *size = static_cast<unsigned>(found.functions.size());
        }
        return 1;
    };
    switch (module) {
    case 1: return give(modules().core);
    case 2: return give(modules().cuda);
    case 3: return give(modules().opencl);
    case 4: return give(modules().cudart);
    case 5: return give(modules().core2);
    case 6: return give(modules().sync);
    default: return 0;
    }
}

/// NvtxExportTableCallbacks
struct Callbacks {
    std::size_t bytes;
    int (*getModuleFunctionTable)(int module, Function*** table, unsigned* size);
};

/// NvtxExportTableVersionInfo
struct VersionInfo {
    std::size_t bytes;
    uint32_t version;
    uint32_t reserved;
    void (*setInjectionVersion)(uint32_t version);
};

constexpr uint32_t kVersion = 3;

void const* exportTable(uint32_t id) {
    static constexpr Callbacks kCallbacks{sizeof(Callbacks), &tableOf};
    static constexpr VersionInfo kInfo{sizeof(VersionInfo), kVersion, 0, [](uint32_t) {}};
    return id == 1   ? static_cast<void const*>(&kCallbacks)
           : id == 3 ? static_cast<void const*>(&kInfo)
                     : nullptr;
}

template <typename Wanted>
Wanted core2(std::size_t number) {
    return reinterpret_cast<Wanted>(modules().core2.functions[number]);
}

} // namespace

/// nvtxEventAttributes_v2
struct Nvtx::Attributes {
    uint16_t version = kVersion;
    uint16_t bytes = sizeof(Attributes);
    uint32_t category = 0;
    int32_t colorType = 0;
    uint32_t color = 0;
    int32_t payloadType = 0;
    int32_t reserved = 0;
    uint64_t payload = 0;
    int32_t messageType = 1; ///< NVTX_MESSAGE_TYPE_ASCII
    char const* message = nullptr;
};

bool Nvtx::open() noexcept {
    char const* const path = std::getenv("NVTX_INJECTION64_PATH");
    void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_LAZY);
    if (library == nullptr) {
        return false;
    }
    using Initialize = int (*)(decltype(&exportTable));
    auto const initialize =
        reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtx2"));
    if (initialize == nullptr || initialize(&exportTable) == 0) {
        dlclose(library);
        return false;
    }
    push_ = core2<decltype(push_)>(4);                     // nvtxDomainRangePushEx
    pop_ = core2<decltype(pop_)>(5);                       // nvtxDomainRangePop
    auto const create = core2<void* (*)(char const*)>(12); // nvtxDomainCreateA
    if (push_ == nullptr || pop_ == nullptr) {
        return false; // the profiler wants no ranges
    }
    // Filters of profilers name the original's domain.
    domain_ = create == nullptr ? nullptr : create("TensorRT");
    return true;
}

Nvtx const* Nvtx::attached() noexcept {
    static Nvtx const* const once = []() -> Nvtx const* {
        static Nvtx nvtx;
        return nvtx.open() ? &nvtx : nullptr;
    }();
    return once;
}

void Nvtx::push(char const* text) const noexcept {
    Attributes attributes;
    attributes.message = text;
    push_(domain_, &attributes);
}

void Nvtx::pop() const noexcept {
    pop_(domain_);
}

} // namespace kiln
