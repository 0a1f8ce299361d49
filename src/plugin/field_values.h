// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <NvInferRuntime.h>

#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// Bytes of one element of a plugin field; 0 for int4, fp4 and kUNKNOWN, whose length is in bytes.
std::size_t elementBytes(nvinfer1::PluginFieldType type) noexcept;

/// Copies a collection that a plugin returned. Throws kInvalidArgument with the field's name for
/// null data, a negative length or an unknown type.
std::vector<FieldValue> copyFields(nvinfer1::PluginFieldCollection const& collection);

/// A collection over owned values; `values` must outlive it and stay unchanged.
class FieldView {
public:
    explicit FieldView(std::vector<FieldValue> const& values);
    nvinfer1::PluginFieldCollection const* collection() const noexcept { return &collection_; }

private:
    std::vector<nvinfer1::PluginField> fields_;
    nvinfer1::PluginFieldCollection collection_;
};

} // namespace kiln::plugin
