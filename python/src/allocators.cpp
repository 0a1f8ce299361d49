// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Allocators that users write in Python. Addresses and streams are integers.
#include <optional>
#include <string>

#include <pybind11/stl.h>

#include "bindings.h"
#include "deprecated.h"
#include "native_object.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using nvinfer1::AllocatorFlags;
using nvinfer1::Dims;
using nvinfer1::IGpuAllocator;
using nvinfer1::IGpuAsyncAllocator;
using nvinfer1::IOutputAllocator;

template <typename Base, typename... Args>
void* askForMemory(Base const* self, char const* name, Args... arguments) noexcept {
    // None stands for failure, as 0 does.
    auto const address =
        callUser<std::optional<std::uintptr_t>>(self, name, std::nullopt, arguments...);
    return toPointer(address.value_or(0));
}

class PythonAllocator final : public IGpuAllocator {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags flags) noexcept override {
        return askForMemory(base(), "allocate", size, alignment, flags);
    }
    void* reallocate(void* const address, uint64_t alignment, uint64_t size) noexcept override {
        return userDefines(base(), "reallocate")
                   ? askForMemory(base(), "reallocate", toAddress(address), alignment, size)
                   : nullptr;
    }
    bool deallocate(void* memory) noexcept override {
        return callUser(base(), "deallocate", false, toAddress(memory));
    }

private:
    IGpuAllocator const* base() const noexcept { return this; }
};

class PythonAsyncAllocator final : public IGpuAsyncAllocator {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags flags,
                        cudaStream_t stream) noexcept override {
        // The callback takes the stream before the flags, unlike the bound method.
        return askForMemory(base(), "allocate_async", size, alignment, toAddress(stream), flags);
    }
    void* reallocate(void* const address, uint64_t alignment, uint64_t size) noexcept override {
        return userDefines(base(), "reallocate")
                   ? askForMemory(base(), "reallocate", toAddress(address), alignment, size)
                   : nullptr;
    }
    bool deallocateAsync(void* memory, cudaStream_t stream) noexcept override {
        return callUser(base(), "deallocate_async", false, toAddress(memory), toAddress(stream));
    }

private:
    IGpuAsyncAllocator const* base() const noexcept { return this; }
};

class PythonOutputAllocator final : public IOutputAllocator {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    void* reallocateOutputAsync(char const* name, void* memory, uint64_t size, uint64_t alignment,
                                cudaStream_t stream) override {
        if (!userDefines(base(), "reallocate_output_async")) {
            return reallocateOutput(name, memory, size, alignment);
        }
        return askForMemory(base(), "reallocate_output_async", name, toAddress(memory), size,
                            alignment, toAddress(stream));
    }
    void* reallocateOutput(char const* name, void* memory, uint64_t size,
                           uint64_t alignment) noexcept override {
        return askForMemory(base(), "reallocate_output", name, toAddress(memory), size, alignment);
    }
    void notifyShape(char const* name, Dims const& shape) noexcept override {
        notifyUser(base(), "notify_shape", name, shape);
    }

private:
    IOutputAllocator const* base() const noexcept { return this; }
};

void* allocateAsync(IGpuAllocator& self, uint64_t size, uint64_t alignment, AllocatorFlags flags,
                    std::uintptr_t stream) {
    return self.allocateAsync(size, alignment, flags, static_cast<cudaStream_t>(toPointer(stream)));
}

bool deallocateAsync(IGpuAllocator& self, void* memory, std::uintptr_t stream) {
    return self.deallocateAsync(memory, static_cast<cudaStream_t>(toPointer(stream)));
}

// What derived classes reach through super(): no memory, and nothing to note.
std::optional<std::uintptr_t> noOutput(IOutputAllocator& /*self*/, std::string const& /*name*/,
                                       std::uintptr_t /*memory*/, uint64_t /*size*/,
                                       uint64_t /*alignment*/) {
    return std::nullopt;
}

py::object outputInOrder(py::object const& self, std::string const& name, std::uintptr_t memory,
                         uint64_t size, uint64_t alignment, std::uintptr_t /*stream*/) {
    return self.attr("reallocate_output")(name, memory, size, alignment);
}

void bindOutputAllocator(py::module_& m) {
    py::class_<IOutputAllocator, PythonOutputAllocator>(
        m, "IOutputAllocator",
        "Allocates outputs of unknown size. Derive from this class and define "
        "reallocate_output(tensor_name, memory, size, alignment), which returns an address, and "
        "notify_shape(tensor_name, shape); reallocate_output_async(..., stream) is optional.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("reallocate_output", &noOutput, "tensor_name"_a, "memory"_a, "size"_a, "alignment"_a,
             "Callback: returns the address of ``size`` bytes at a multiple of ``alignment``.\n\n"
             "memory: int, what was returned before, or 0.")
        .def("reallocate_output_async", &outputInOrder, "tensor_name"_a, "memory"_a, "size"_a,
             "alignment"_a, "stream"_a, "As reallocate_output, in the order of a stream. Optional.")
        .def(
            "notify_shape",
            [](IOutputAllocator& /*self*/, std::string const& /*name*/, Dims const& /*shape*/) {},
            "tensor_name"_a, "shape"_a, "Callback: the shape of the output is known.");
}

} // namespace

void initAllocators(py::module_& m) {
    py::class_<IGpuAllocator, PythonAllocator, nvinfer1::IVersionedInterface>(
        m, "IGpuAllocator",
        "Allocates device memory. Derive from this class and define allocate and "
        "deallocate; addresses are integers, 0 or None for failure.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("allocate", &IGpuAllocator::allocate, "size"_a, "alignment"_a, "flags"_a,
             Deprecated<"IGpuAllocator.allocate", "allocate_async">(),
             "Callback: returns ``size`` bytes at a multiple of ``alignment``.")
        .def("reallocate", &IGpuAllocator::reallocate, "address"_a, "alignment"_a, "new_size"_a,
             "Callback: resizes a block. Optional.")
        .def("deallocate", &IGpuAllocator::deallocate, "memory"_a,
             Deprecated<"IGpuAllocator.deallocate", "deallocate_async">(),
             "Callback: frees a block; returns success.")
        .def("allocate_async", &allocateAsync, "size"_a, "alignment"_a, "flags"_a, "stream"_a,
             "Like allocate, in the order of a stream.")
        .def("deallocate_async", &deallocateAsync, "memory"_a, "stream"_a,
             "Like deallocate, in the order of a stream.");

    py::class_<IGpuAsyncAllocator, PythonAsyncAllocator, IGpuAllocator>(
        m, "IGpuAsyncAllocator",
        "Allocates device memory in the order of a stream. Derive from this class and "
        "define allocate_async(size, alignment, stream, flags) and deallocate_async.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("allocate", &IGpuAllocator::allocate, "size"_a, "alignment"_a, "flags"_a,
             Deprecated<"IGpuAsyncAllocator.allocate", "allocate_async">(),
             "allocate_async on the default stream.")
        .def("deallocate", &IGpuAllocator::deallocate, "memory"_a,
             Deprecated<"IGpuAsyncAllocator.deallocate", "deallocate_async">(),
             "deallocate_async on the default stream.")
        .def("allocate_async", &allocateAsync, "size"_a, "alignment"_a, "flags"_a, "stream"_a,
             "Callback: returns ``size`` bytes at a multiple of ``alignment``.")
        .def("deallocate_async", &deallocateAsync, "memory"_a, "stream"_a,
             "Callback: frees a block; returns success.");

    bindOutputAllocator(m);
}

} // namespace kiln::python
