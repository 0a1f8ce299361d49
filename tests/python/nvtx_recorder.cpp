// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a profiler injects through NVTX_INJECTION64_PATH: writes each range to the file that
// NVTX_RECORD names. Uses the headers of NVTX where they are installed, so that they check Kiln's
// own declarations.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
using Attributes = nvtxEventAttributes_t;
using Domain = nvtxDomainHandle_t;
using GetExportTable = NvtxGetExportTableFunc_t;
using Callbacks = NvtxExportTableCallbacks;
using FunctionPointer = NvtxFunctionPointer;
constexpr int kCore2 = NVTX_CB_MODULE_CORE2;
constexpr int kPush = NVTX_CBID_CORE2_DomainRangePushEx;
constexpr int kPop = NVTX_CBID_CORE2_DomainRangePop;
constexpr int kCreate = NVTX_CBID_CORE2_DomainCreateA;
constexpr std::size_t kBytes = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
char const* textOf(Attributes const& attributes) {
    return attributes.messageType == NVTX_MESSAGE_TYPE_ASCII ? attributes.message.ascii : "?";
}
int getTable(Callbacks const& callbacks, FunctionPointer*** table, unsigned* size) {
    return callbacks.GetModuleFunctionTable(static_cast<NvtxCallbackModule>(kCore2), table, size);
}
#else
struct Attributes {
    uint16_t version;
    uint16_t size;
    uint32_t before[5];
    uint64_t payload;
    int32_t messageType;
    char const* message;
};
using Domain = void*;
using GetExportTable = void const* (*)(uint32_t);
using FunctionPointer = void (*)();
struct Callbacks {
    std::size_t bytes;
    int (*getModuleFunctionTable)(int, FunctionPointer***, unsigned*);
};
constexpr int kCore2 = 5;
constexpr int kPush = 4;
constexpr int kPop = 5;
constexpr int kCreate = 12;
constexpr std::size_t kBytes = 48;
char const* textOf(Attributes const& attributes) {
    return attributes.messageType == 1 ? attributes.message : "?";
}
int getTable(Callbacks const& callbacks, FunctionPointer*** table, unsigned* size) {
    return callbacks.getModuleFunctionTable(kCore2, table, size);
}
#endif

namespace {

std::FILE* record = nullptr;
int domain = 0;
int depth = 0;

Domain create(char const* name) {
    std::fprintf(record, "domain %s\n", name);
    return reinterpret_cast<Domain>(&domain);
}

int push(Domain, Attributes const* attributes) {
    bool const sound = attributes->version == 3 && attributes->size == kBytes;
    std::fprintf(record, "%*s%s\n", 2 * depth, "", sound ? textOf(*attributes) : "bad attributes");
    return depth++;
}

int pop(Domain) {
    std::fflush(record);
    return --depth;
}

} // namespace

extern "C" int InitializeInjectionNvtx2(GetExportTable getExportTable) {
    auto const* const callbacks = static_cast<Callbacks const*>(getExportTable(1));
    FunctionPointer** table = nullptr;
    unsigned size = 0;
    record = std::fopen(std::getenv("NVTX_RECORD"), "w");
    if (record == nullptr || getTable(*callbacks, &table, &size) == 0 || size <= kCreate) {
        return 0;
    }
    *table[kPush] = reinterpret_cast<FunctionPointer>(&push);
    *table[kPop] = reinterpret_cast<FunctionPointer>(&pop);
    *table[kCreate] = reinterpret_cast<FunctionPointer>(&create);
    return 1;
}
