// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_kv_cache_update(LayerBindings& bindings) {
    LayerClass<IKVCacheUpdateLayer>(bindings, LayerType::kKVCACHE_UPDATE, "IKVCacheUpdateLayer",
                                    "Writes new keys or values into a cache, in place.")
        .def_property("cache_mode", &IKVCacheUpdateLayer::getCacheMode,
                      &IKVCacheUpdateLayer::setCacheMode,
                      "KVCacheMode: how positions follow each other.")
        .def_property("update_form", &IKVCacheUpdateLayer::getUpdateForm,
                      &IKVCacheUpdateLayer::setUpdateForm,
                      "AttentionIOForm: layout of the update. Default: PADDED_BHND.")
        .def_property("update_lengths",
                      py::cpp_function(&IKVCacheUpdateLayer::getUpdateLengths, kInternal),
                      &IKVCacheUpdateLayer::setUpdateLengths,
                      "ITensor: lengths of the sequences of the update, or None.")
        .def("set_input", &IKVCacheUpdateLayer::setInput, "index"_a, "tensor"_a,
             "Replaces the cache (0), the update (1) or the write indices (2), or sets the lengths "
             "(3).");
    bindings.network.def("add_kv_cache_update", &INetworkDefinition::addKVCacheUpdate, "cache"_a,
                         "update"_a, "write_indices"_a, "cache_mode"_a, kInternal,
                         "Adds an update of a cache; returns an IKVCacheUpdateLayer.");
}

} // namespace kiln::python
