// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "targets/cpu/onednn/library.h"

/// RAII for oneDNN's objects.
namespace kiln::targets::cpu::onednn {

struct Destroy {
    void operator()(dnnl_memory_desc* own) const { Library::instance().memory_desc_destroy(own); }
    void operator()(dnnl_memory* own) const { Library::instance().memory_destroy(own); }
    void operator()(dnnl_post_ops* own) const { Library::instance().post_ops_destroy(own); }
    void operator()(dnnl_primitive_attr* own) const {
        Library::instance().primitive_attr_destroy(own);
    }
    void operator()(dnnl_primitive_desc* own) const {
        Library::instance().primitive_desc_destroy(own);
    }
    void operator()(dnnl_primitive* own) const { Library::instance().primitive_destroy(own); }
    void operator()(dnnl_stream* own) const { Library::instance().stream_destroy(own); }
};

using MemoryDesc = std::unique_ptr<dnnl_memory_desc, Destroy>;
using Memory = std::unique_ptr<dnnl_memory, Destroy>;
using PostOps = std::unique_ptr<dnnl_post_ops, Destroy>;
using Attributes = std::unique_ptr<dnnl_primitive_attr, Destroy>;
using PrimitiveDesc = std::unique_ptr<dnnl_primitive_desc, Destroy>;
using Primitive = std::unique_ptr<dnnl_primitive, Destroy>;
using Stream = std::unique_ptr<dnnl_stream, Destroy>;

/// Owner = made("action", [&](auto* handle) { return library.create(handle, ...); })
template <typename Owner, typename Create>
Owner made(char const* action, Create&& create) {
    typename Owner::pointer handle = nullptr;
    Library::instance().check(create(&handle), action);
    return Owner(handle);
}

} // namespace kiln::targets::cpu::onednn
