// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that users compiled ahead of time, as a backend sees them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/kernel.h"
#include "base/code_kind.h"
#include "base/shared_object.h"

namespace kiln::backend {

/// One kernel with its code.
struct UserKernelSpec {
    std::string entry;
    CodeKind kind = CodeKind::kHostObject;
    ByteView code;
    std::vector<ScalarType> scalars;
    std::vector<OperandType> inputs;
    std::vector<OperandType> outputs;
    int32_t nullPointers = 0;
};

/// A scalar argument as it is at some shapes: `integer` or `real`, as its type says.
struct UserScalar {
    int64_t integer = 0;
    double real = 0.0;
};

/// How a kernel is launched at some shapes.
struct UserLaunch {
    std::array<int64_t, 3> grid{1, 1, 1};
    std::array<int64_t, 3> block{1, 1, 1};
    int64_t sharedBytes = 0;
    std::vector<UserScalar> scalars;
};

/// In one execution context. setLaunch() comes before each reshape().
class UserKernelInstance : public KernelInstance {
public:
    /// Throws kInvalidArgument for numbers that the target cannot launch.
    virtual void setLaunch(UserLaunch const& launch) = 0;
};

/// Of one engine, shared by its contexts; the code stays loaded as long as this lives.
class UserKernel {
public:
    virtual ~UserKernel() = default;
    virtual std::unique_ptr<UserKernelInstance> instantiate() const = 0;
};

} // namespace kiln::backend
