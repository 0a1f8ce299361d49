// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/aot_code.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "plugin/code/code_info.h"

namespace kiln::runtime {
namespace {

using plugin::AotKernel;
using plugin::AotVariant;
using plugin::CodeImage;

/// The image of a kernel with the highest rank on this target; null if none runs.
CodeImage const* bestImage(AotKernel const& kernel, target::Device const& device, int32_t& rank) {
    CodeImage const* best = nullptr;
    rank = 0;
    for (CodeImage const& image : kernel.images) {
        int32_t const own = device.rankOf(image.kind, image.architecture, image.ptxVersion);
        if (own > rank) {
            rank = own;
            best = &image;
        }
    }
    return best;
}

/// The rank of a variant: the rank of its worst kernel.
int32_t rankOf(AotVariant const& variant, target::Device const& device) {
    if (variant.target != device.target()) {
        return 0;
    }
    int32_t worst = INT32_MAX;
    for (AotKernel const& kernel : variant.kernels) {
        int32_t rank = 0;
        bestImage(kernel, device, rank);
        worst = std::min(worst, rank);
    }
    return worst;
}

std::string listOf(std::vector<AotVariant> const& variants) {
    std::vector<std::string> names;
    for (AotVariant const& variant : variants) {
        names.push_back(fmt::format("{} ({})", variant.target, variant.architecture));
    }
    return join(names, ", ");
}

/// Why the images for this target do not run here.
std::string reasonsOf(std::vector<AotVariant> const& variants, target::Device const& device) {
    std::string reasons;
    for (AotVariant const& variant : variants) {
        for (AotKernel const& kernel : variant.kernels) {
            for (CodeImage const& image : kernel.images) {
                std::string const problem =
                    variant.target == device.target()
                        ? device.codeProblem(image.kind, image.architecture, image.ptxVersion)
                        : std::string();
                if (!problem.empty()) {
                    reasons += fmt::format("\n  kernel '{}', {} for {}: {}", kernel.entry,
                                           plugin::nameOf(image.kind), image.architecture, problem);
                }
            }
        }
    }
    return reasons;
}

/// The kernels of a layer as one step.
class AotInstance final : public target::KernelInstance {
public:
    AotInstance(std::string const& where, std::vector<AotKernel> const& kernels,
                std::vector<std::unique_ptr<target::UserKernel>> const& loaded)
        : where_(where), kernels_(kernels) {
        for (std::unique_ptr<target::UserKernel> const& kernel : loaded) {
            instances_.push_back(kernel->instantiate());
        }
        launches_.resize(instances_.size());
        numbers_.resize(instances_.size());
    }

    void takeValues(std::span<int64_t const> values) override {
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            numbers_[i] = launchAt(kernels_[i], values);
        }
    }

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        for (std::size_t i = 0; i < instances_.size(); ++i) {
            try {
                instances_[i]->setLaunch(numbers_[i]);
                instances_[i]->reshape(inputs, outputs);
            } catch (Error const& error) {
                fail(ErrorKind::kPlugin, "{}, kernel '{}': {}", where_, kernels_[i].entry,
                     error.what());
            }
            launches_[i] = instances_[i]->launch();
        }
    }

    target::Launch launch() override {
        return launches_.size() == 1 ? launches_.front() : target::Launch{&runAll, this};
    }

    std::string failureText() const override {
        return fmt::format("{}, kernel '{}': {}", where_, kernels_[failed_].entry,
                           instances_[failed_]->failureText());
    }

private:
    static int32_t runAll(void* state, target::KernelCall const& call,
                          target::StreamHandle stream) noexcept {
        auto& self = *static_cast<AotInstance*>(state);
        for (std::size_t i = 0; i < self.launches_.size(); ++i) {
            target::Launch const& launch = self.launches_[i];
            if (int32_t const code = launch.run(launch.state, call, stream); code != 0) {
                self.failed_ = i;
                return code;
            }
        }
        return 0;
    }

    std::string const& where_;
    std::vector<AotKernel> const& kernels_;
    std::vector<std::unique_ptr<target::UserKernelInstance>> instances_;
    std::vector<target::Launch> launches_;
    std::vector<target::UserLaunch> numbers_;
    std::size_t failed_ = 0;
};

} // namespace

AotCode::AotCode(std::string where, std::vector<AotVariant> const& variants,
                 target::Device const& device, std::span<target::OperandType const> inputs,
                 std::span<target::OperandType const> outputs, HandOver const& ways)
    : where_(std::move(where)) {
    int32_t best = 0;
    for (AotVariant const& variant : variants) {
        if (int32_t const rank = rankOf(variant, device); rank > best) {
            best = rank;
            kernels_ = &variant.kernels;
        }
    }
    if (kernels_ == nullptr) {
        fail(ErrorKind::kUnsupported,
             "{}: expected code that runs on {} ({}), the plan has code for {}. Build it for this "
             "machine.{}",
             where_, device.target(), device.codeArchitecture(), listOf(variants),
             reasonsOf(variants, device));
    }
    for (AotKernel const& kernel : *kernels_) {
        int32_t rank = 0;
        CodeImage const& image = *bestImage(kernel, device, rank);
        target::UserKernelSpec spec;
        spec.entry = kernel.entry;
        spec.kind = image.kind;
        spec.code = image.bytes;
        spec.inputs.assign(inputs.begin(), inputs.end());
        spec.outputs.assign(outputs.begin(), outputs.end());
        spec.nullPointers = kernel.nullPointers;
        for (plugin::CodeScalar const& scalar : kernel.scalars) {
            spec.scalars.push_back(scalar.type);
        }
        try {
            loaded_.push_back(device.loadUserKernel(spec, ways));
        } catch (Error const& error) {
            fail(ErrorKind::kPlugin, "{}, kernel '{}': {}", where_, kernel.entry, error.what());
        }
    }
}

std::unique_ptr<target::KernelInstance> AotCode::instantiate() const {
    return std::make_unique<AotInstance>(where_, *kernels_, loaded_);
}

target::UserLaunch launchAt(AotKernel const& kernel, std::span<int64_t const> values) {
    auto const at = [&](graph::ExprRef ref) { return values[static_cast<std::size_t>(ref)]; };
    target::UserLaunch launch;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        launch.grid[axis] = at(kernel.grid[axis]);
        launch.block[axis] = at(kernel.block[axis]);
    }
    launch.sharedBytes = at(kernel.sharedBytes);
    for (plugin::CodeScalar const& scalar : kernel.scalars) {
        target::UserScalar number{0, scalar.real};
        if (!isReal(scalar.type)) {
            number.integer = at(scalar.value);
            int32_t const bits = 8 * bytesOf(scalar.type);
            int64_t const limit = int64_t{1} << (bits - 1 < 63 ? bits - 1 : 62);
            if (bits < 64 && (number.integer >= limit || number.integer < -limit)) {
                fail(ErrorKind::kInvalidArgument,
                     "extra argument {}: expected a number of {} bits, got {}. Use a wider type",
                     launch.scalars.size(), bits, number.integer);
            }
        }
        launch.scalars.push_back(number);
    }
    return launch;
}

std::string aotName(plugin::PluginRecord const& record) {
    return fmt::format("[plugin] layer '{}', plugin {}", record.layer, record.id.text());
}

} // namespace kiln::runtime
