// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/candidate.h"
#include "target/device.h"
#include "target/layout.h"

namespace kiln::target {

/// A library that a target opens at run time.
struct LibraryStatus {
    std::string name;    ///< "NVRTC"
    std::string version; ///< "13.0"; empty if not found
    std::string file;
    std::string problem; ///< why it cannot be used, and what to do
};

/// What an architecture offers: kernels and their code. Plans are built with it, also on machines
/// that cannot run them. One object per process and target; all functions are thread-safe.
class Backend {
public:
    static constexpr int32_t kCurrent = -1;

    virtual ~Backend() = default;

    virtual std::string_view name() const = 0; ///< "cpu", "cuda"
    /// The device with this number or, for kCurrent, the one that is current on this thread, else
    /// the first. Null if it cannot run the code of this target, or if there is none; noDevice()
    /// says why. Devices are never destroyed.
    virtual Device* device(int32_t number) = 0;
    Device* device() { return device(kCurrent); }
    virtual std::string noDevice() const { return {}; }
    /// The number of device(); without one, that of the first that another machine may have.
    int32_t deviceNumber() {
        Device const* const here = device();
        return here != nullptr ? here->number() : readsHostMemory() ? -1 : 0;
    }
    /// The libraries that the target opens at run time, most needed first.
    virtual std::vector<LibraryStatus> libraries() const { return {}; }
    /// What the times and the code of kernels depend on besides the node, the device and the
    /// libraries of single kernels: instruction set, number of threads, sources, architectures,
    /// versions of compilers.
    virtual std::string timingFacts() const { return {}; }
    /// Whether kernels can read host memory in place (mapped constants need no upload).
    virtual bool readsHostMemory() const = 0;

    /// The architecture that plans built now require.
    virtual std::string planArchitecture() const = 0;
    /// The architectures for which plugins provide ahead-of-time code: one or more.
    virtual std::vector<std::string> codeArchitectures() const { return {planArchitecture()}; }

    /// Whether the timing cache keeps the code that candidates compile, which timingFacts() must
    /// tell apart. Otherwise it is compiled in each build.
    virtual bool keepsCode() const { return false; }

    /// Candidates for a node, best first, the plain reference last. Empty if the op is unknown.
    virtual std::vector<Candidate> candidates(NodeSpec const& node) const = 0;
    /// The target's own layouts, in which values between its kernels may be. Tensors of every
    /// target may be reformatted to and from them where the axis of the channels is the same, and
    /// to and from linear ones.
    virtual std::span<Layout const> layouts() const { return {}; }
    /// Forms with such layouts in which the target may run a node that is given in public formats.
    /// candidates() says whether it does.
    virtual std::vector<Form> ownForms(NodeSpec const& node) const {
        static_cast<void>(node);
        return {};
    }
    /// Creates a kernel while a plan is built, on the device that is current on this thread.
    /// Without a device, the kernel only answers what the build asks. Otherwise like
    /// Device::load().
    virtual std::unique_ptr<Kernel> load(KernelRecord const& record,
                                         std::span<ConstantOperand const> constants) const = 0;
    /// How the kernel that was chosen for a node writes output 0 over an input, which has the same
    /// type and shape; nullopt if it needs both.
    virtual std::optional<Overwriting> overwriting(NodeSpec const& node, KernelRecord const& record,
                                                   std::size_t input) const {
        static_cast<void>(node);
        static_cast<void>(record);
        static_cast<void>(input);
        return std::nullopt;
    }
    /// Which constants load() expects in an order of the kernel's own. The record has its code and
    /// may lack the tags. Throws kCorruptData.
    virtual std::vector<PackedOperand> packs(KernelRecord const& record) const {
        static_cast<void>(record);
        return {};
    }
    /// The packed bytes of one of these. A pure function: new weights can be packed for a plan that
    /// exists.
    virtual Bytes pack(KernelRecord const& record, std::size_t operand,
                       ConstantOperand const& original) const;

    /// Empty if the target can launch a user's kernel like this, else which number is wrong and
    /// why.
    virtual std::string launchProblem(UserLaunch const& launch) const = 0;
};

} // namespace kiln::target
