// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// An attention is an object between two layers: the first one has the op and its operands, the
// second one passes the result on. The first layer owns the object.
#include "base/text.h"
#include "graph/composed/attention_layer.h"
#include "graph/composed/attention_result.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::AttentionLayer;
using nvinfer1::AttentionIOForm;
using nvinfer1::AttentionNormalizationOp;
using nvinfer1::CausalMaskKind;
using nvinfer1::DataType;
using nvinfer1::ITensor;

class AttentionOutput;

/// The layer in front. IAttention and ILayer have functions of the same name, so the object is
/// another one.
class AttentionInput final : public OpLayer<nvinfer1::IAttentionInputLayer, AttentionLayer> {
public:
    AttentionInput(NetworkDefinition& network, graph::Node& node)
        : OpLayer(network, node), attention_(*this) {}

    nvinfer1::IAttention* getAttention() const noexcept override {
        return const_cast<Attention*>(&attention_);
    }
    void setInput(int32_t index, ITensor& tensor) noexcept override {
        static_cast<void>(connect(index, &tensor));
    }
    bool setNbRanks(int32_t nbRanks) noexcept override {
        if (std::string const problem = op().problemOfChange(nbRanks); !problem.empty()) {
            core().reject("number of ranks", "{}", problem);
            return false;
        }
        return set("number of ranks", [&](AttentionLayer& own) { own.ranks = nbRanks; });
    }
    int32_t getNbRanks() const noexcept override { return op().ranks; }
    void setOutputLayer(AttentionOutput& layer) noexcept { attention_.output_ = &layer; }

private:
    class Attention final : public nvinfer1::IAttention {
    public:
        explicit Attention(AttentionInput& layer) : layer_(layer) {}

        bool setNormalizationOperation(AttentionNormalizationOp op) noexcept override {
            return set("normalization", [&](AttentionLayer& own) { own.normalization = op; });
        }
        AttentionNormalizationOp getNormalizationOperation() const noexcept override {
            return layer_.op().normalization;
        }

        bool setMask(ITensor& mask) noexcept override {
            return layer_.connect(AttentionLayer::kMask, &mask);
        }
        ITensor* getMask() noexcept override { return getInput(AttentionLayer::kMask); }

        bool setCausal(bool isCausal) noexcept override {
            return setCausalKind(isCausal ? CausalMaskKind::kUPPER_LEFT : CausalMaskKind::kNONE);
        }
        bool getCausal() const noexcept override {
            return layer_.op().causal != CausalMaskKind::kNONE;
        }
        bool setCausalKind(CausalMaskKind kind) noexcept override {
            return set("causal kind", [&](AttentionLayer& own) { own.causal = kind; });
        }
        CausalMaskKind getCausalKind() const noexcept override { return layer_.op().causal; }

        bool setDecomposable(bool decomposable) noexcept override {
            return set("decomposable",
                       [&](AttentionLayer& own) { own.decomposable = decomposable; });
        }
        bool getDecomposable() const noexcept override { return layer_.op().decomposable; }

        bool setInput(int32_t index, ITensor& input) noexcept override {
            if (index < 0 || index > AttentionLayer::kScale) {
                layer_.core().reject("input", "expected a number from 0 to {}, got {}.",
                                     static_cast<int32_t>(AttentionLayer::kScale), index);
                return false;
            }
            return layer_.connect(index, &input);
        }
        int32_t getNbInputs() const noexcept override {
            int32_t count = AttentionLayer::kScale + 1;
            while (count > AttentionLayer::kMask && getInput(count - 1) == nullptr) {
                --count;
            }
            return count;
        }
        ITensor* getInput(int32_t index) const noexcept override {
            return index > AttentionLayer::kScale ? nullptr : layer_.core().input(index);
        }
        int32_t getNbOutputs() const noexcept override { return 1; }
        ITensor* getOutput(int32_t index) const noexcept override;

        bool setName(char const* name) noexcept override;
        char const* getName() const noexcept override { return layer_.getName(); }

        bool setNormalizationQuantizeScale(ITensor& tensor) noexcept override {
            return layer_.connect(AttentionLayer::kScale, &tensor);
        }
        ITensor* getNormalizationQuantizeScale() const noexcept override {
            return getInput(AttentionLayer::kScale);
        }
        bool setNormalizationQuantizeToType(DataType type) noexcept override {
            return set("type of quantized weights",
                       [&](AttentionLayer& own) { own.quantizedType = type; });
        }
        DataType getNormalizationQuantizeToType() const noexcept override {
            return layer_.op().quantizedType;
        }

        bool setMetadata(char const* metadata) noexcept override {
            layer_.setMetadata(metadata);
            return true;
        }
        char const* getMetadata() const noexcept override { return layer_.getMetadata(); }
        bool setNbRanks(int32_t nbRanks) noexcept override { return layer_.setNbRanks(nbRanks); }
        int32_t getNbRanks() const noexcept override { return layer_.getNbRanks(); }

        bool setQueryForm(AttentionIOForm form) noexcept override {
            return set("query form", [&](AttentionLayer& own) { own.queryForm = form; });
        }
        AttentionIOForm getQueryForm() const noexcept override { return layer_.op().queryForm; }
        bool setKeyValueForm(AttentionIOForm form) noexcept override {
            return set("key and value form", [&](AttentionLayer& own) { own.keyForm = form; });
        }
        AttentionIOForm getKeyValueForm() const noexcept override { return layer_.op().keyForm; }

        bool setQueryLengths(ITensor* lengths) noexcept override {
            return layer_.connect(AttentionLayer::kQueryLengths, lengths);
        }
        ITensor* getQueryLengths() const noexcept override {
            return layer_.core().input(AttentionLayer::kQueryLengths);
        }
        bool setKeyValueLengths(ITensor* lengths) noexcept override {
            return layer_.connect(AttentionLayer::kKeyLengths, lengths);
        }
        ITensor* getKeyValueLengths() const noexcept override {
            return layer_.core().input(AttentionLayer::kKeyLengths);
        }

        AttentionOutput* output_ = nullptr;

    private:
        template <typename Edit>
        bool set(char const* parameter, Edit&& edit) noexcept {
            return layer_.set(parameter, edit);
        }

        AttentionInput& layer_;
    };

    /// Makes a tensor the operand of a role; null removes it. Optional ones may be set in any
    /// order, with gaps.
    bool connect(int32_t role, ITensor* tensor) noexcept {
        return core().reporter().guard(false, [&] {
            if (role < 0 || role >= AttentionLayer::kRoles) {
                core().reject("input", "expected a number from 0 to {}, got {}.",
                              AttentionLayer::kRoles - 1, role);
                return false;
            }
            graph::Tensor* const source =
                tensor == nullptr ? nullptr
                                  : &core().network().unwrap(*tensor, core().inputName(role));
            if (source != nullptr || role < core().inputCount()) {
                core().network().graph().setNodeInput(core().node(), role, source);
            }
            return true;
        });
    }

    Attention attention_;
};

/// The layer behind.
class AttentionOutput final
    : public OpLayer<nvinfer1::IAttentionOutputLayer, graph::AttentionResult> {
public:
    using OpLayer::OpLayer;

    nvinfer1::IAttention* getAttention() const noexcept override { return attention_; }
    void setAttention(nvinfer1::IAttention* attention) noexcept { attention_ = attention; }

private:
    nvinfer1::IAttention* attention_ = nullptr;
};

ITensor* AttentionInput::Attention::getOutput(int32_t index) const noexcept {
    return output_->getOutput(index);
}

bool AttentionInput::Attention::setName(char const* name) noexcept {
    return layer_.core().reporter().guard(false, [&] {
        std::string const behind = std::string(orEmpty(name)) + "/output";
        layer_.setName(name);
        output_->setName(behind.c_str());
        return true;
    });
}

nvinfer1::IAttention* addAttentionLayers(NetworkDefinition& network, AttentionLayer const& op,
                                         std::initializer_list<ITensor*> operands) noexcept {
    auto* const input = addOpLayer<AttentionInput>(network, "attention", op, operands);
    if (input == nullptr) {
        return nullptr;
    }
    auto* const output = addOpLayer<AttentionOutput>(
        network, "attention output", graph::AttentionResult(), {input->getOutput(0)});
    if (output == nullptr) {
        return nullptr;
    }
    input->setOutputLayer(*output);
    output->setAttention(input->getAttention());
    return input->getAttention();
}

} // namespace

nvinfer1::IAttention* NetworkDefinition::addAttention(ITensor& query, ITensor& key, ITensor& value,
                                                      AttentionNormalizationOp normOp,
                                                      bool causal) noexcept {
    AttentionLayer op;
    op.normalization = normOp;
    op.causal = causal ? CausalMaskKind::kUPPER_LEFT : CausalMaskKind::kNONE;
    return addAttentionLayers(*this, op, {&query, &key, &value});
}

nvinfer1::IAttention* NetworkDefinition::addAttentionV2(ITensor& query, ITensor& key,
                                                        ITensor& value,
                                                        AttentionNormalizationOp normOp,
                                                        CausalMaskKind causalKind) noexcept {
    AttentionLayer op;
    op.normalization = normOp;
    op.causal = causalKind;
    return addAttentionLayers(*this, op, {&query, &key, &value});
}

} // namespace kiln::api
