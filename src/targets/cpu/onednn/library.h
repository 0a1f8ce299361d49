// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <oneapi/dnnl/dnnl.h>

namespace kiln::targets::cpu::onednn {

// Every function of oneDNN that Kiln calls, without its prefix.
#define KILN_ONEDNN_FUNCTIONS(X)                                                                   \
    X(convolution_forward_primitive_desc_create)                                                   \
    X(engine_create)                                                                               \
    X(get_effective_cpu_isa)                                                                       \
    X(get_primitive_cache_capacity)                                                                \
    X(set_primitive_cache_capacity)                                                                \
    X(matmul_primitive_desc_create)                                                                \
    X(memory_create)                                                                               \
    X(memory_desc_clone)                                                                           \
    X(memory_desc_create_with_strides)                                                             \
    X(memory_desc_create_with_tag)                                                                 \
    X(memory_desc_destroy)                                                                         \
    X(memory_desc_equal)                                                                           \
    X(memory_desc_get_size)                                                                        \
    X(memory_destroy)                                                                              \
    X(memory_set_data_handle)                                                                      \
    X(post_ops_append_binary)                                                                      \
    X(post_ops_append_eltwise)                                                                     \
    X(post_ops_append_sum)                                                                         \
    X(post_ops_create)                                                                             \
    X(post_ops_destroy)                                                                            \
    X(primitive_attr_create)                                                                       \
    X(primitive_attr_destroy)                                                                      \
    X(primitive_attr_set_post_ops)                                                                 \
    X(primitive_attr_set_scratchpad_mode)                                                          \
    X(primitive_create)                                                                            \
    X(primitive_desc_destroy)                                                                      \
    X(primitive_desc_query)                                                                        \
    X(primitive_desc_query_md)                                                                     \
    X(primitive_destroy)                                                                           \
    X(primitive_execute)                                                                           \
    X(reorder_primitive_desc_create)                                                               \
    X(stream_create)                                                                               \
    X(stream_destroy)                                                                              \
    X(version)

/// Kiln's copy of oneDNN, opened at first use: one member for each function in the list.
struct Library {
#define KILN_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
    KILN_ONEDNN_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER
    dnnl_engine_t engine = nullptr; ///< the CPU; thread-safe
    std::string file;

    /// KILN_ONEDNN names the folder of the library instead of kiln/onednn beside libkiln. Throws
    /// kUnsupported on each call if it cannot be opened.
    static Library const& instance();
    /// Empty if instance() works, else the reason.
    static std::string const& problem();
    /// Throws kUnsupported if the library's file is missing. Does not open it: that takes ten
    /// milliseconds, and an engine needs the library only for its first run.
    static void expectFile();

    /// Whether products of int8 are exact. Without VNNI, oneDNN adds pairs of them in 16 bits,
    /// which overflow, or halves the weights.
    bool multipliesInt8() const {
        constexpr unsigned kVnni = (dnnl_cpu_isa_avx2_vnni & ~dnnl_cpu_isa_avx2) |
                                   (dnnl_cpu_isa_avx512_core_vnni & ~dnnl_cpu_isa_avx512_core);
        return (static_cast<unsigned>(get_effective_cpu_isa()) & kVnni) != 0;
    }

    /// Throws kUnsupported, "[cpu] oneDNN, <action>: ...", unless the call succeeded; kOutOfMemory
    /// if memory ran out.
    void check(dnnl_status_t status, char const* action) const;
};

} // namespace kiln::targets::cpu::onednn
