// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <NvInferRuntimeBase.h>

#include "base/bytes.h"
#include "base/dims.h"
#include "base/dtype.h"

namespace kiln::target {

/// A stream of the target: a cudaStream_t on cuda, ignored on cpu.
using StreamHandle = cudaStream_t;

/// The extents of an operand that is absent.
inline constexpr Dims kAbsentDims{-1, {}};

/// Operands of one launch. The arrays belong to the execution context and keep their addresses.
/// Binding another buffer rewrites single pointers. The pointer of an absent operand is null.
struct KernelCall {
    void const* const* inputs = nullptr;
    void* const* outputs = nullptr;
    void* workspace = nullptr;
};

/// Starts the work on `stream` and returns 0, or returns another number if it could not be started;
/// the instance's failureText() then says why. Must not allocate, lock, throw or wait for the
/// stream.
using KernelFunction = int32_t (*)(void* state, KernelCall const& call,
                                   StreamHandle stream) noexcept;

struct Launch {
    KernelFunction run = nullptr;
    void* state = nullptr;
};

/// One kernel in one execution context. reshape() is called once per change of shapes; the Launch
/// may then run any number of times. Used by one thread at a time.
class KernelInstance {
public:
    virtual ~KernelInstance() = default;

    /// Prepares for these shapes. May allocate. Throws kInvalidArgument for invalid shapes.
    virtual void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) = 0;

    /// The values of the plan's expressions at the shapes of the next reshape(). Called before
    /// reshape(), for steps whose launch depends on these values.
    virtual void takeValues(std::span<int64_t const> values) { static_cast<void>(values); }

    /// Valid until the next reshape().
    virtual Launch launch() = 0;

    /// Scratch memory needed for the given shapes, in bytes. The engine build calls it with the
    /// largest shapes.
    virtual std::size_t workspaceBytes(std::span<Dims const> inputs,
                                       std::span<Dims const> outputs) const {
        static_cast<void>(inputs);
        static_cast<void>(outputs);
        return 0;
    }

    /// Whether a completed launch found invalid operand values, for example an index outside its
    /// axis. Called after waiting for the stream; the next launch reports the fault, too.
    virtual bool faulted() const noexcept { return false; }

    /// The error text of the last failed launch or of the fault.
    virtual std::string failureText() const { return {}; }
};

/// A constant operand of an engine, on the host (mapped from the plan) and on the device (the same
/// pointer on cpu).
struct ConstantOperand {
    void const* host = nullptr; ///< null: this operand is not constant
    void const* device = nullptr;
    std::size_t bytes = 0;
    Dims dims{};
};

/// One kernel of an engine, shared by its contexts; immutable after loading.
class Kernel {
public:
    virtual ~Kernel() = default;
    virtual std::unique_ptr<KernelInstance> instantiate() const = 0;
    /// Memory of its own, in bytes, if that is much: for example converted constants.
    virtual std::size_t ownBytes() const noexcept { return 0; }
};

/// Element type and memory format of one operand.
struct OperandType {
    DataType type = DataType::kFLOAT;
    TensorFormat format = TensorFormat::kLINEAR;
    /// 0: the elements are ordered as `format` says. Else an order of the target's own. That of a
    /// packed constant is its kernel's: no one else knows what it means and how many bytes it
    /// takes. That of a value between kernels is one of Backend::layouts().
    uint16_t tag = 0;

    bool operator==(OperandType const&) const = default;
};

/// That of an absent operand.
inline constexpr OperandType kAbsentType{DataType::kINT32, TensorFormat::kLINEAR};

/// A kernel as stored in a plan: all that Backend::load needs to create it without the compiler.
struct KernelRecord {
    std::string kernel; ///< name under the backend, for example "softmax_reference"
    std::string op;     ///< Op::kind()
    Bytes parameters;   ///< Op::save()
    Bytes code;         ///< compiled at build time (cubin); empty for linked-in kernels
    std::vector<OperandType> inputs;
    std::vector<OperandType> outputs;
};

/// A constant operand that a kernel reads in an order of its own.
struct PackedOperand {
    std::size_t operand = 0;
    uint16_t tag = 0; ///< OperandType::tag, never 0: the order, alike for kernels of one name

    bool operator==(PackedOperand const&) const = default;
};

} // namespace kiln::target
