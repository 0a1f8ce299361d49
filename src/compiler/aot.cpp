// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aot.h"

#include "runtime/aot_code.h"
#include "target/build_target.h"

namespace kiln::compiler {
namespace {

std::string_view constexpr kCorners[] = {"smallest", "optimal", "largest"};

/// Checks that the target accepts the launch parameters at every corner of the profiles.
void checkLaunch(Program const& program, Ranges const& ranges, plugin::AotKernel const& kernel,
                 std::string_view where) {
    std::vector<int64_t> const corners[] = {valuesAt(program, ranges, ProfileCorner::kMin),
                                            valuesAt(program, ranges, ProfileCorner::kOpt),
                                            valuesAt(program, ranges, ProfileCorner::kMax)};
    for (std::size_t corner = 0; corner < std::size(corners); ++corner) {
        target::UserLaunch const launch = runtime::launchAt(kernel, corners[corner]);
        if (std::string const problem = program.backend.launchProblem(launch); !problem.empty()) {
            fail(ErrorKind::kPlugin, "{}, kernel '{}', at the {} shapes of the profiles: {}", where,
                 kernel.entry, kCorners[corner], problem);
        }
    }
}

} // namespace

std::vector<plugin::AotVariant> compileAot(Program const& program, Extents const& extents,
                                           Step const& step, plugin::PluginOp& plugin,
                                           Combination const& combination, int32_t tactic) {
    std::vector<graph::ShapeExpr> shapes;
    std::size_t const plain = step.inputs().size() - static_cast<std::size_t>(step.shapeInputs);
    for (std::size_t i = 0; i < plain; ++i) {
        shapes.push_back(program.value(step.inputs()[i]).shape);
    }
    std::vector<nvinfer1::DynamicPluginTensorDesc> const operands =
        describedAs(program, extents, step, combination);
    std::string const where =
        fmt::format("[plugin] layer '{}', plugin {}", step.name, plugin.id().text());
    std::vector<plugin::AotVariant> variants;
    for (std::string const& architecture : program.backend.codeArchitectures()) {
        target::BuildTargetScope const scope(program.backend.name(), architecture);
        plugin::AotVariant variant{std::string(program.backend.name()), architecture,
                                   plugin.code(shapes, operands, tactic, program.backend.name(),
                                               architecture, program.pool)};
        for (plugin::AotKernel const& kernel : variant.kernels) {
            checkLaunch(program, *extents.ranges, kernel, where);
        }
        variants.push_back(std::move(variant));
    }
    return variants;
}

} // namespace kiln::compiler
