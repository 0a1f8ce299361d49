// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/algorithm_selection.h"

#include "base/hash.h"
#include "base/tensor_layout.h"

namespace kiln::api {
namespace {

using nvinfer1::OptProfileSelector;

class IOInfo final : public nvinfer1::IAlgorithmIOInfo {
public:
    explicit IOInfo(target::OperandSpec const& operand)
        : type_(operand.type), strides_(stridesOf(operand.type.format, operand.opt)) {
        if (auto const traits = traitsOf(operand.type.format);
            traits.has_value() && traits->vector > 1) {
            vectorized_ = operand.opt.nbDims - traits->channelsFromEnd;
            components_ = traits->vector;
        }
    }

    nvinfer1::DataType getDataType() const noexcept override { return type_.type; }
    nvinfer1::Dims getStrides() const noexcept override { return strides_; }
    int64_t getVectorizedDim() const noexcept override { return vectorized_; }
    int64_t getComponentsPerElement() const noexcept override { return components_; }

private:
    target::OperandType type_;
    nvinfer1::Dims strides_;
    int64_t vectorized_ = -1;
    int64_t components_ = 1;
};

/// A kernel is known by the hash of its name, which other builds give it, too.
class Variant final : public nvinfer1::IAlgorithmVariant {
public:
    explicit Variant(std::string const& kernel)
        : implementation_(static_cast<int64_t>(
              hashBytes({reinterpret_cast<std::byte const*>(kernel.data()), kernel.size()}) >>
              1U)) {}

    int64_t getImplementation() const noexcept override { return implementation_; }
    int64_t getTactic() const noexcept override { return 0; }

private:
    int64_t implementation_;
};

} // namespace

class AlgorithmSelection::Algorithm final : public nvinfer1::IAlgorithm {
public:
    Algorithm(compiler::KernelChoice const& kernel, Question const& question)
        : variant_(kernel.record.kernel), milliseconds_(static_cast<float>(kernel.seconds * 1e3)),
          workspaceBytes_(kernel.workspaceBytes) {
        for (auto const& operands : {question.inputs, question.outputs}) {
            for (target::OperandSpec const& operand : operands) {
                operands_.push_back(std::make_unique<IOInfo>(operand));
            }
        }
    }

    nvinfer1::IAlgorithmVariant const& getAlgorithmVariant() const noexcept override {
        return variant_;
    }
    float getTimingMSec() const noexcept override { return milliseconds_; }
    std::size_t getWorkspaceSize() const noexcept override { return workspaceBytes_; }
    nvinfer1::IAlgorithmIOInfo const* getAlgorithmIOInfoByIndex(
        int32_t index) const noexcept override {
        bool const there = index >= 0 && static_cast<std::size_t>(index) < operands_.size();
        return there ? operands_[static_cast<std::size_t>(index)].get() : nullptr;
    }

private:
    Variant variant_;
    float milliseconds_;
    std::size_t workspaceBytes_;
    std::vector<std::unique_ptr<IOInfo>> operands_;
};

class AlgorithmSelection::Context final : public nvinfer1::IAlgorithmContext {
public:
    explicit Context(Question const& question)
        : name_(question.layer), inputs_(static_cast<int32_t>(question.inputs.size())) {
        for (auto const& operands : {question.inputs, question.outputs}) {
            for (target::OperandSpec const& operand : operands) {
                dims_.push_back({operand.min, operand.opt, operand.max});
            }
        }
    }

    char const* getName() const noexcept override { return name_.c_str(); }
    nvinfer1::Dims getDimensions(int32_t index, OptProfileSelector select) const noexcept override {
        if (index < 0 || static_cast<std::size_t>(index) >= dims_.size()) {
            return {-1, {}};
        }
        auto const& [min, opt, max] = dims_[static_cast<std::size_t>(index)];
        return select == OptProfileSelector::kMIN   ? min
               : select == OptProfileSelector::kOPT ? opt
                                                    : max;
    }
    int32_t getNbInputs() const noexcept override { return inputs_; }
    int32_t getNbOutputs() const noexcept override {
        return static_cast<int32_t>(dims_.size()) - inputs_;
    }

private:
    struct Extents {
        nvinfer1::Dims min, opt, max;
    };

    std::string name_;
    int32_t inputs_;
    std::vector<Extents> dims_;
};

AlgorithmSelection::AlgorithmSelection(nvinfer1::IAlgorithmSelector& selector, bool rejectsEmpty)
    : selector_(selector), rejectsEmpty_(rejectsEmpty) {}

AlgorithmSelection::~AlgorithmSelection() = default;

std::vector<std::size_t> AlgorithmSelection::select(Question const& question) {
    contexts_.push_back(std::make_unique<Context>(question));
    asked_.clear();
    std::vector<nvinfer1::IAlgorithm const*> choices;
    for (compiler::KernelChoice const& kernel : question.kernels) {
        asked_.push_back(std::make_unique<Algorithm>(kernel, question));
        choices.push_back(asked_.back().get());
    }
    auto const count = static_cast<int32_t>(choices.size());
    std::vector<int32_t> selection(choices.size(), -1);
    int32_t const selected =
        selector_.selectAlgorithms(*contexts_.back(), choices.data(), count, selection.data());
    if (selected < 0 || selected > count || (selected == 0 && rejectsEmpty_)) {
        fail(ErrorKind::kInvalidState,
             "[select] layer '{}': expected the algorithm selector to choose {} to {} of the "
             "algorithms, got {}. Return the number of indices that were written.",
             question.layer, rejectsEmpty_ ? 1 : 0, count, selected);
    }
    std::vector<std::size_t> allowed;
    for (int32_t i = 0; i < selected; ++i) {
        int32_t const index = selection[static_cast<std::size_t>(i)];
        if (index < 0 || index >= count) {
            fail(ErrorKind::kInvalidState,
                 "[select] layer '{}': expected indices of algorithms from 0 to {} from the "
                 "algorithm selector, got {}.",
                 question.layer, count - 1, index);
        }
        allowed.push_back(static_cast<std::size_t>(index));
    }
    return allowed;
}

void AlgorithmSelection::taken(std::size_t kernel) {
    algorithms_.push_back(std::move(asked_.at(kernel)));
}

void AlgorithmSelection::report() {
    std::vector<nvinfer1::IAlgorithmContext const*> contexts;
    std::vector<nvinfer1::IAlgorithm const*> algorithms;
    for (std::size_t i = 0; i < algorithms_.size(); ++i) {
        contexts.push_back(contexts_[i].get());
        algorithms.push_back(algorithms_[i].get());
    }
    selector_.reportAlgorithms(contexts.data(), algorithms.data(),
                               static_cast<int32_t>(contexts.size()));
}

} // namespace kiln::api
