// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode_values.h"

namespace kiln::plan {
namespace {

constexpr std::size_t kLaunchNumbers = 7;

plugin::AotKernel decodeKernel(fb::AotKernel const& table, std::string_view layer, PartReader& code,
                               Budget& budget) {
    plugin::AotKernel kernel;
    kernel.entry = decodeText(table.entry(), budget);
    std::vector<int32_t> const launch = decodeNumbers(table.launch(), budget);
    if (launch.size() != kLaunchNumbers) {
        fail(ErrorKind::kCorruptData,
             "[plan] plugin of layer '{}', kernel '{}': expected {} launch expressions, got {}. "
             "Build the plan again.",
             layer, kernel.entry, kLaunchNumbers, launch.size());
    }
    std::copy_n(launch.begin(), 3, kernel.grid.begin());
    std::copy_n(launch.begin() + 3, 3, kernel.block.begin());
    kernel.sharedBytes = launch.back();
    kernel.nullPointers = table.null_pointers();
    decodeAll(table.scalars(), budget, kernel.scalars, [&](fb::Scalar const& scalar) {
        return plugin::CodeScalar{static_cast<ScalarType>(scalar.type()), scalar.value(),
                                  scalar.real()};
    });
    decodeAll(table.images(), budget, kernel.images, [&](fb::Image const& image) {
        plugin::CodeImage record;
        record.kind = static_cast<CodeKind>(image.kind());
        record.architecture = decodeText(image.architecture(), budget);
        record.ptxVersion = image.ptx_version();
        record.bytes = code.take(image.bytes(), kernel.entry);
        return record;
    });
    return kernel;
}

} // namespace

void decodeCode(fb::Plan const& plan, PartReader& code, Budget& budget, Document& document) {
    std::size_t index = 0;
    for (plugin::PluginRecord& record : document.plugins) {
        auto const* const variants =
            plan.plugins()->Get(static_cast<flatbuffers::uoffset_t>(index++))->code();
        decodeAll(variants, budget, record.code, [&](fb::Variant const& variant) {
            plugin::AotVariant own;
            own.target = decodeText(variant.target(), budget);
            own.architecture = decodeText(variant.architecture(), budget);
            decodeAll(variant.kernels(), budget, own.kernels, [&](fb::AotKernel const& kernel) {
                return decodeKernel(kernel, record.layer, code, budget);
            });
            return own;
        });
    }
    code.finish();
}

} // namespace kiln::plan
