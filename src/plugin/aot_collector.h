// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kiln/aot.h>

#include "plugin/code/code_record.h"
#include "plugin/expr_builder.h"

namespace kiln::plugin {

/// Collects the kernels that a plugin passes in kiln::IAotBuild::getCode(). problem() returns the
/// first error, because the interface cannot throw.
class AotCollector final : public IAotCode {
public:
    AotCollector(graph::ExprPool& pool, ExprBuilder const& builder)
        : pool_(pool), builder_(builder) {}

    bool beginKernel(char const* entry) noexcept override;
    bool addImage(void const* bytes, size_t size) noexcept override;
    bool setLaunch(nvinfer1::IDimensionExpr const* const grid[3],
                   nvinfer1::IDimensionExpr const* const block[3],
                   nvinfer1::IDimensionExpr const& sharedBytes) noexcept override;
    bool addInteger(ArgumentType type, nvinfer1::IDimensionExpr const& value) noexcept override;
    bool addReal(ArgumentType type, double value) noexcept override;

    /// Empty if there was no error. Throws std::bad_alloc if memory ran out.
    std::string const& problem() const;
    std::vector<AotKernel> take() { return std::move(kernels_); }

    /// A kernel with only an entry: grid and block of 1, no shared memory.
    static AotKernel plainKernel(graph::ExprPool& pool, std::string_view entry);

private:
    /// Calls add(). Returns false and sets `exhausted_` if it throws.
    template <typename Add>
    bool guarded(Add&& add) noexcept;
    bool refuse(std::string_view call, std::string_view problem);
    bool began(std::string_view call);

    graph::ExprPool& pool_;
    ExprBuilder const& builder_;
    std::vector<AotKernel> kernels_;
    std::string problem_;
    bool exhausted_ = false; ///< memory ran out
};

} // namespace kiln::plugin
