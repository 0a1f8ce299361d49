// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Modules, functions and launches.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "emulation/context.h"
#include "emulation/image.h"
#include "emulation/kernel_limits.h"
#include "emulation/launch.h"
#include "emulation/memory.h"
#include "emulation/streams.h"

namespace kiln::emulation {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kPlainShared = 48 << 10;
constexpr int kMostShared = 232448;

struct Library {
    void* handle = nullptr;
    KilnState* state = nullptr;
    KilnKernel const* kernels = nullptr;
    std::vector<KernelLimits> limits; ///< empty if they are not known

    Library() = default;
    ~Library() {
        if (handle != nullptr) {
            dlclose(handle);
        }
    }
    Library(Library const&) = delete;
    Library& operator=(Library const&) = delete;
};

struct Function {
    std::shared_ptr<Library> library;
    KilnKernel const* kernel = nullptr;
    CUcontext context = nullptr;
    KernelLimits limits; ///< zeros if they are not known
    unsigned dynamicShared = kPlainShared;
};

struct Module {
    std::shared_ptr<Library> library; // pending work on a stream shares it
    std::vector<std::unique_ptr<Function>> functions;
};

std::set<Function const*>& functions() {
    static auto* const all = new std::set<Function const*>;
    return *all;
}

/// dlopen() needs a file, and takes two files of the same name for the same library.
std::shared_ptr<Library> load(char const* bytes, std::size_t count) {
    char const* const folder = std::getenv("TMPDIR");
    std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/kiln-kernel-XXXXXX";
    int const file = mkstemp(path.data());
    bool const written = file >= 0 && ::write(file, bytes, count) == static_cast<ssize_t>(count);
    auto library = std::make_shared<Library>();
    library->handle = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (file >= 0) {
        close(file);
        unlink(path.c_str());
    }
    if (library->handle == nullptr) {
        std::fprintf(stderr, "[emulated GPU] %s\n", written ? dlerror() : path.c_str());
        return nullptr;
    }
    library->state = static_cast<KilnState*>(dlsym(library->handle, "kiln_emulated_state"));
    library->kernels =
        static_cast<KilnKernel const*>(dlsym(library->handle, "kiln_emulated_kernels"));
    auto* const shared = static_cast<char* const*>(dlsym(library->handle, "kiln_emulated_shared"));
    std::copy_n(shared, 2, library->state->staticShared);
    return library;
}

void putLog(unsigned count, CUjit_option const* options, void** values, char const* text) {
    char* log = nullptr;
    std::size_t bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
            log = static_cast<char*>(values[i]);
        } else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            bytes = reinterpret_cast<std::size_t>(values[i]);
        }
    }
    if (log != nullptr && bytes > 0) {
        std::snprintf(log, bytes, "%s", text);
    }
}

/// A copy of a launch's parameters, made when the launch is enqueued.
class Parameters {
public:
    Parameters(KilnKernel const& kernel, void** from) {
        for (unsigned i = 0; i < kernel.parameters; ++i) {
            auto value = std::make_shared<std::max_align_t[]>(
                (kernel.sizes[i] + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
            std::memcpy(value.get(), from[i], kernel.sizes[i]);
            values_.push_back(std::move(value));
        }
    }

    std::vector<void*> list() const {
        std::vector<void*> addresses;
        for (auto const& value : values_) {
            addresses.push_back(value.get());
        }
        return addresses;
    }

    /// Index of the first pointer parameter that leads to no known memory, or -1.
    int firstStranger(KilnKernel const& kernel) const {
        for (unsigned i = 0; i < kernel.parameters; ++i) {
            void const* address = nullptr;
            if (kernel.pointers[i]) {
                std::memcpy(&address, values_[i].get(), sizeof(address));
            }
            if (address != nullptr && !isKnown(address)) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }

private:
    std::vector<std::shared_ptr<std::max_align_t[]>> values_;
};

std::unique_ptr<Function> makeFunction(std::shared_ptr<Library> const& library,
                                       KilnKernel const& kernel) {
    auto made = std::make_unique<Function>();
    made->library = library;
    made->kernel = &kernel;
    made->context = currentContext();
    for (KernelLimits const& limits : library->limits) {
        made->limits = limits.name == kernel.name ? limits : made->limits;
    }
    made->dynamicShared = kPlainShared - made->limits.sharedBytes;
    return made;
}

void run(Function const& function, KilnIndex grid, KilnIndex block, Parameters const& parameters,
         LaunchConditions conditions) {
    if (int const stranger = parameters.firstStranger(*function.kernel); stranger >= 0) {
        std::fprintf(stderr, "[emulated GPU] %s: parameter %d leads to host memory\n",
                     function.kernel->name, stranger);
        loseDevice(CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    std::vector<void*> list = parameters.list();
    runGrid(*function.library->state, *function.kernel, grid, block, list.data(), conditions);
}

bool fits(KilnIndex grid, KilnIndex block) {
    return grid.x >= 1 && grid.x <= 2147483647U && grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 &&
           grid.z <= 65535 && block.x >= 1 && block.x <= kMostThreads && block.y >= 1 &&
           block.y <= kMostThreads && block.z >= 1 && block.z <= 64;
}

/// Of a block of this function.
unsigned mostThreads(Function const& function) {
    KernelLimits const& limits = function.limits;
    unsigned const most = std::min(kMostThreads, threadsFor(limits.registers));
    return limits.threads == 0 ? most : std::min(most, limits.threads);
}

/// Refuses what the driver refuses.
CUresult checkLaunch(Function const& function, KilnIndex grid, KilnIndex block, unsigned shared) {
    CUresult result = CUDA_SUCCESS;
    if (!fits(grid, block) || block.x * block.y * block.z > kMostThreads ||
        shared > function.dynamicShared) {
        result = CUDA_ERROR_INVALID_VALUE;
    } else if (block.x * block.y * block.z > mostThreads(function)) {
        result = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    if (result != CUDA_SUCCESS) {
        std::fprintf(stderr,
                     "[emulated GPU] %s: a launch of (%u, %u, %u) blocks of (%u, %u, %u) threads, "
                     "%u of them at most, with %u bytes of shared memory, %u of them at most\n",
                     function.kernel->name, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                     mostThreads(function), shared, function.dynamicShared);
    }
    return result;
}

} // namespace

KILN_EMULATED CUresult cuModuleLoadDataEx(CUmodule* module, void const* image, unsigned count,
                                          CUjit_option* options, void** values) {
    Call const call(__func__);
    if (call.refused() || forbidsCapture()) {
        return call.refused() ? call.result() : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    auto const* const bytes = static_cast<char const*>(image);
    if (std::strstr(bytes, ".version") != nullptr) {
        putLog(count, options, values, "ptxas fatal: the emulated GPU has no compiler for PTX");
        return CUDA_ERROR_INVALID_PTX;
    }
    ImageHeader header;
    if (std::strncmp(bytes, header.magic, sizeof(header.magic)) != 0) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    std::memcpy(&header, bytes, sizeof(header));
    bool const runs = (header.portable != 0 && header.major < kMajor) ||
                      (header.major == kMajor && header.minor <= kMinor);
    if (!runs) {
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (header.bytes > (std::size_t{1} << 30) || header.limits > (std::size_t{1} << 20)) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    std::string_view const code(bytes + sizeof(header), header.bytes + header.limits);
    if (hashOf(code) != header.hash) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    std::shared_ptr<Library> library = load(code.data(), header.bytes);
    if (library == nullptr) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    library->limits = limitsOfText(code.substr(header.bytes));
    auto* const made = new Module;
    made->library = std::move(library);
    *module = reinterpret_cast<CUmodule>(made);
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuModuleUnload(CUmodule module) {
    Call const call(__func__);
    if (call.refused()) {
        return call.result();
    }
    drainAll();
    auto* const gone = reinterpret_cast<Module*>(module);
    for (auto const& function : gone->functions) {
        functions().erase(function.get());
    }
    delete gone;
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuModuleGetFunction(CUfunction* function, CUmodule module,
                                           char const* name) {
    Call const call(__func__);
    if (call.refused()) {
        return call.result();
    }
    auto& from = *reinterpret_cast<Module*>(module);
    for (auto const& known : from.functions) {
        if (std::strcmp(known->kernel->name, name) == 0) {
            *function = reinterpret_cast<CUfunction>(known.get());
            return CUDA_SUCCESS;
        }
    }
    for (KilnKernel const* kernel = from.library->kernels; kernel->name != nullptr; ++kernel) {
        if (std::strcmp(kernel->name, name) == 0) {
            from.functions.push_back(makeFunction(from.library, *kernel));
            functions().insert(from.functions.back().get());
            *function = reinterpret_cast<CUfunction>(from.functions.back().get());
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

KILN_EMULATED CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                          CUfunction handle) {
    Call const call(__func__);
    auto const* const function = reinterpret_cast<Function const*>(handle);
    if (call.refused() || functions().count(function) == 0) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = static_cast<int>(mostThreads(*function));
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(function->limits.sharedBytes);
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = static_cast<int>(function->dynamicShared);
        break;
    default: *value = 0; break;
    }
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                                          int value) {
    Call const call(__func__);
    auto* const function = reinterpret_cast<Function*>(handle);
    if (call.refused() || functions().count(function) == 0) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || value > kMostShared - static_cast<int>(function->limits.sharedBytes)) {
            std::fprintf(stderr, "[emulated GPU] %s: %d bytes of shared memory and %u of its own\n",
                         function->kernel->name, value, function->limits.sharedBytes);
            return CUDA_ERROR_INVALID_VALUE;
        }
        function->dynamicShared = static_cast<unsigned>(value);
    }
    return CUDA_SUCCESS;
}

namespace {

bool overlaps(CUlaunchConfig const& config) {
    return std::any_of(
        config.attrs, config.attrs + config.numAttrs, [](CUlaunchAttribute const& attribute) {
            return attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                   attribute.programmaticStreamSerializationAllowed != 0;
        });
}

CUresult launch(Call const& call, CUlaunchConfig const& config, CUfunction handle,
                void** parameters, void** extra) {
    auto const* const function = reinterpret_cast<Function const*>(handle);
    Stream* const stream = streamOf(config.hStream);
    if (call.refused() || functions().count(function) == 0 || stream == nullptr ||
        function->context != currentContext()) {
        return call.refused() ? call.result() : kInvalidHandle;
    }
    KilnIndex const grid{config.gridDimX, config.gridDimY, config.gridDimZ};
    KilnIndex const block{config.blockDimX, config.blockDimY, config.blockDimZ};
    if (extra != nullptr) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (CUresult const result = checkLaunch(*function, grid, block, config.sharedMemBytes);
        result != CUDA_SUCCESS) {
        return result;
    }
    LaunchConditions const conditions{config.sharedMemBytes, overlaps(config)};
    return enqueue(*stream, [held = *function, grid, block, conditions,
                             copied = Parameters(*function->kernel, parameters)] {
        run(held, grid, block, copied, conditions);
    });
}

} // namespace

KILN_EMULATED CUresult cuLaunchKernel(CUfunction handle, unsigned gridX, unsigned gridY,
                                      unsigned gridZ, unsigned blockX, unsigned blockY,
                                      unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                      void** parameters, void** extra) {
    Call const call(__func__);
    return launch(call,
                  {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0},
                  handle, parameters, extra);
}

/// Kernels run one after another anyway; one that overlaps must still wait for the one in front.
KILN_EMULATED CUresult cuLaunchKernelEx(CUlaunchConfig const* config, CUfunction handle,
                                        void** parameters, void** extra) {
    Call const call(__func__);
    return launch(call, *config, handle, parameters, extra);
}

/// There is no copy engine: kernels copy by their threads.
KILN_EMULATED CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, unsigned, void*,
                                              uint64_t const*, uint64_t const*, unsigned const*,
                                              unsigned const*, CUtensorMapInterleave,
                                              CUtensorMapSwizzle, CUtensorMapL2promotion,
                                              CUtensorMapFloatOOBfill) {
    return CUDA_ERROR_NOT_SUPPORTED;
}

KILN_EMULATED CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType, unsigned, void*,
                                               uint64_t const*, uint64_t const*, int const*,
                                               int const*, unsigned, unsigned, unsigned const*,
                                               CUtensorMapInterleave, CUtensorMapSwizzle,
                                               CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace kiln::emulation
