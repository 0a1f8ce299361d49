// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The objects that IPluginV3QuickAOTBuild::getLaunchParams() fills.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <impl/NvInferPythonPlugin.h>

#include "plugin/code/code_record.h"
#include "plugin/expr_builder.h"

namespace kiln::plugin {

/// A copy of a plugin's scalar: its type, and its expression in the builder's pool.
class SymValue final : public nvinfer1::ISymExpr {
public:
    nvinfer1::PluginArgType getType() const noexcept override {
        return nvinfer1::PluginArgType::kINT;
    }
    nvinfer1::PluginArgDataType getDataType() const noexcept override { return type; }
    void* getExpr() noexcept override {
        return const_cast<nvinfer1::IDimensionExpr*>(expr); // the API returns a non-const pointer
    }

    /// Returns nullopt for null, for a type outside the enums, and for a foreign expression.
    static std::optional<SymValue> copyOf(nvinfer1::ISymExpr* given, ExprBuilder const& builder);

    nvinfer1::PluginArgDataType type = nvinfer1::PluginArgDataType::kINT32;
    nvinfer1::IDimensionExpr const* expr = nullptr;
    graph::ExprRef ref = -1;
};

/// Extra arguments.
class SymList final : public nvinfer1::ISymExprs {
public:
    explicit SymList(ExprBuilder const& builder) : builder_(builder) {}

    nvinfer1::ISymExpr* getSymExpr(int32_t index) const noexcept override;
    bool setSymExpr(int32_t index, nvinfer1::ISymExpr* symExpr) noexcept override;
    int32_t getNbSymExprs() const noexcept override { return static_cast<int32_t>(values_.size()); }
    bool setNbSymExprs(int32_t count) noexcept override;

    /// Throws kInvalidArgument for a position that was never set.
    std::vector<CodeScalar> scalars() const;

private:
    bool inside(int32_t index) const noexcept { return index >= 0 && index < getNbSymExprs(); }

    ExprBuilder const& builder_;
    mutable std::vector<std::optional<SymValue>> values_;
};

/// Grid, block and shared memory.
class LaunchParams final : public nvinfer1::IKernelLaunchParams {
public:
    explicit LaunchParams(ExprBuilder const& builder) : builder_(builder) {}

    nvinfer1::ISymExpr* getGridX() noexcept override { return get(0); }
    bool setGridX(nvinfer1::ISymExpr* value) noexcept override { return set(0, value); }
    nvinfer1::ISymExpr* getGridY() noexcept override { return get(1); }
    bool setGridY(nvinfer1::ISymExpr* value) noexcept override { return set(1, value); }
    nvinfer1::ISymExpr* getGridZ() noexcept override { return get(2); }
    bool setGridZ(nvinfer1::ISymExpr* value) noexcept override { return set(2, value); }
    nvinfer1::ISymExpr* getBlockX() noexcept override { return get(3); }
    bool setBlockX(nvinfer1::ISymExpr* value) noexcept override { return set(3, value); }
    nvinfer1::ISymExpr* getBlockY() noexcept override { return get(4); }
    bool setBlockY(nvinfer1::ISymExpr* value) noexcept override { return set(4, value); }
    nvinfer1::ISymExpr* getBlockZ() noexcept override { return get(5); }
    bool setBlockZ(nvinfer1::ISymExpr* value) noexcept override { return set(5, value); }
    nvinfer1::ISymExpr* getSharedMem() noexcept override { return get(6); }
    bool setSharedMem(nvinfer1::ISymExpr* value) noexcept override { return set(6, value); }

    /// Copies the values that were set; others keep their value.
    void fill(AotKernel& kernel) const;

private:
    nvinfer1::ISymExpr* get(std::size_t index) noexcept;
    bool set(std::size_t index, nvinfer1::ISymExpr* value) noexcept;

    ExprBuilder const& builder_;
    std::array<std::optional<SymValue>, 7> values_;
};

} // namespace kiln::plugin
