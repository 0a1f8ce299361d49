// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/prepared.h"

#include <new>
#include <utility>

#include "base/checked.h"
#include "base/parallel.h"
#include "targets/cpu/onednn/openmp.h"
#include "targets/cpu/onednn/run_memory.h"

namespace kiln::targets::cpu::onednn {
namespace {

constexpr std::size_t kAlignment = 64;

Memory memoryOf(const_dnnl_memory_desc_t desc, void* data) {
    return made<Memory>("describe an operand", [&](dnnl_memory_t* memory) {
        Library const& library = Library::instance();
        return library.memory_create(memory, desc, library.engine, data);
    });
}

Stream newStream() {
    return made<Stream>("start", [](dnnl_stream_t* stream) {
        Library const& library = Library::instance();
        return library.stream_create(stream, library.engine, dnnl_stream_default_flags);
    });
}

Primitive primitiveOf(PrimitiveDesc const& desc) {
    return made<Primitive>("create a kernel", [&](dnnl_primitive_t* primitive) {
        return Library::instance().primitive_create(primitive, desc.get());
    });
}

} // namespace

Prepared::Prepared(Blueprint blueprint, std::size_t workspaceBytes, int32_t threads,
                   std::shared_ptr<Bytes const> ownWeights)
    : ownWeights_(std::move(ownWeights)), threads_(threads) {
    primitive_ = primitiveOf(blueprint.desc);
    stream_ = newStream();
    for (Argument& argument : blueprint.arguments) {
        if (argument.name == DNNL_ARG_WEIGHTS && ownWeights_ != nullptr) {
            ownWeightsMemory_ =
                memoryOf(blueprint.weights(), const_cast<std::byte*>(ownWeights_->data()));
            arguments_.push_back({argument.name, ownWeightsMemory_.get()});
            continue;
        }
        bindings_.push_back(
            {memoryOf(argument.desc.get(), nullptr), argument.operand, argument.output});
        arguments_.push_back({argument.name, bindings_.back().memory.get()});
    }
    std::size_t const scratch = blueprint.scratchBytes();
    if (scratch > workspaceBytes) {
        ownScratch_.reset(std::aligned_alloc(kAlignment, roundUp(scratch, kAlignment)));
        if (ownScratch_ == nullptr) {
            throw std::bad_alloc();
        }
    }
    scratchpad_ = memoryOf(blueprint.scratchpad(), ownScratch_.get());
    arguments_.push_back({DNNL_ARG_SCRATCHPAD, scratchpad_.get()});
}

dnnl_status_t Prepared::run(target::KernelCall const& call) {
    // In the first run, oneDNN generates code that it keeps.
    InRun const run(std::exchange(hasRun_, true));
    Library const& library = Library::instance();
    for (Binding const& binding : bindings_) {
        void* const data = binding.output ? call.outputs[binding.operand]
                                          : const_cast<void*>(call.inputs[binding.operand]);
        if (auto const status = library.memory_set_data_handle(binding.memory.get(), data);
            status != dnnl_success) {
            return status;
        }
    }
    if (ownScratch_ == nullptr) {
        library.memory_set_data_handle(scratchpad_.get(), call.workspace);
    }
    return library.primitive_execute(primitive_.get(), stream_.get(),
                                     static_cast<int>(arguments_.size()), arguments_.data());
}

Bytes reordered(const_dnnl_memory_desc_t from, void const* data, const_dnnl_memory_desc_t to) {
    Library const& library = Library::instance();
    Bytes bytes(library.memory_desc_get_size(to));
    Team team(threadCount());
    OnTeam const on(team);
    auto const desc = made<PrimitiveDesc>("describe a reorder", [&](dnnl_primitive_desc_t* own) {
        return library.reorder_primitive_desc_create(own, from, library.engine, to, library.engine,
                                                     nullptr);
    });
    Primitive const primitive = primitiveOf(desc);
    Stream const stream = newStream();
    Memory const source = memoryOf(from, const_cast<void*>(data));
    Memory const target = memoryOf(to, bytes.data());
    dnnl_exec_arg_t const arguments[] = {{DNNL_ARG_FROM, source.get()},
                                         {DNNL_ARG_TO, target.get()}};
    library.check(library.primitive_execute(primitive.get(), stream.get(), 2, arguments),
                  "reorder weights");
    return bytes;
}

} // namespace kiln::targets::cpu::onednn
