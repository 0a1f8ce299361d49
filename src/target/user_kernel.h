// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that users compiled ahead of time, as a backend receives them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/code_kind.h"
#include "base/shared_object.h"
#include "target/kernel.h"

namespace kiln::target {

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

/// The value of a scalar argument at given shapes: `integer` or `real`, depending on its type.
struct UserScalar {
    int64_t integer = 0;
    double real = 0.0;
};

/// How a kernel is launched at given shapes.
struct UserLaunch {
    std::array<int64_t, 3> grid{1, 1, 1};
    std::array<int64_t, 3> block{1, 1, 1};
    int64_t sharedBytes = 0;
    std::vector<UserScalar> scalars;
};

/// A user kernel in one execution context. setLaunch() is called before each reshape().
class UserKernelInstance : public KernelInstance {
public:
    /// Throws kInvalidArgument for numbers that the target cannot launch.
    virtual void setLaunch(UserLaunch const& launch) = 0;
};

/// A user kernel of one engine, shared by its contexts. The code stays loaded during its lifetime.
class UserKernel {
public:
    virtual ~UserKernel() = default;
    virtual std::unique_ptr<UserKernelInstance> instantiate() const = 0;
};

} // namespace kiln::target
