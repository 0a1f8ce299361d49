// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/recurrent_activation.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace kiln::onnx {

using nvinfer1::ActivationType;

namespace {

struct Known {
    std::string_view name;
    int32_t parameters; // 0; 1: alpha; 2: alpha and beta
    float alpha;
    float beta;
    Term (*apply)(Term x, float alpha, float beta);
};

template <ActivationType kType>
Term layer(Term x, float alpha, float beta) {
    return x.activation(kType, alpha, beta);
}

constexpr Known kFunctions[] = {
    {"sigmoid", 0, 0, 0, layer<ActivationType::kSIGMOID>},
    {"tanh", 0, 0, 0, layer<ActivationType::kTANH>},
    {"relu", 0, 0, 0, layer<ActivationType::kRELU>},
    {"affine", 2, 1, 0, [](Term x, float alpha, float beta) { return x * alpha + beta; }},
    {"leakyrelu", 1, 0.01F, 0, layer<ActivationType::kLEAKY_RELU>},
    {"thresholdedrelu", 1, 1, 0, layer<ActivationType::kTHRESHOLDED_RELU>},
    {"scaledtanh", 2, 1, 1,
     [](Term x, float alpha, float beta) { return (x * beta).tanh() * alpha; }},
    {"hardsigmoid", 2, 0.2F, 0.5F, layer<ActivationType::kHARD_SIGMOID>},
    {"elu", 1, 1, 0, layer<ActivationType::kELU>},
    {"softsign", 0, 0, 0, layer<ActivationType::kSOFTSIGN>},
    {"softplus", 0, 1, 1,
     [](Term x, float, float) { return x.activation(ActivationType::kSOFTPLUS, 1, 1); }},
};

std::vector<float> realsOf(NodeContext& context, char const* name) {
    auto const* found = context.attributes().find(name);
    return found != nullptr ? found->floats : std::vector<float>{};
}

std::vector<std::string> namesOf(NodeContext& context,
                                 std::vector<std::string> const& ofOneDirection,
                                 size_t directions) {
    auto const* given = context.attributes().find("activations");
    std::vector<std::string> names;
    if (given != nullptr && !given->strings.empty()) {
        names.assign(given->strings.begin(), given->strings.end());
    } else {
        for (size_t i = 0; i < directions; ++i) {
            names.insert(names.end(), ofOneDirection.begin(), ofOneDirection.end());
        }
    }
    if (names.size() != ofOneDirection.size() * directions) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'activations': expected ", ofOneDirection.size() * directions,
                          " names, got ", names.size(), "."));
    }
    return names;
}

} // namespace

std::vector<GateFunction> gateFunctions(NodeContext& context,
                                        std::vector<std::string> const& ofOneDirection,
                                        size_t directions) {
    auto const alphas = realsOf(context, "activation_alpha");
    auto const betas = realsOf(context, "activation_beta");
    size_t nextAlpha = 0;
    size_t nextBeta = 0;
    std::vector<GateFunction> functions;
    for (std::string name : namesOf(context, ofOneDirection, directions)) {
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        auto const* known =
            std::find_if(std::begin(kFunctions), std::end(kFunctions),
                         [&](Known const& function) { return function.name == name; });
        if (known == std::end(kFunctions)) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         text("attribute 'activations': '", name, "' is not known."));
        }
        float const alpha = known->parameters >= 1 && nextAlpha < alphas.size()
                                ? alphas[nextAlpha++]
                                : known->alpha;
        float const beta =
            known->parameters >= 2 && nextBeta < betas.size() ? betas[nextBeta++] : known->beta;
        functions.emplace_back(
            [known, alpha, beta](Term x) { return known->apply(x, alpha, beta); });
    }
    return functions;
}

} // namespace kiln::onnx
