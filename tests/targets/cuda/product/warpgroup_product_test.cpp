// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/product/warpgroup_product.h"

#include <gmock/gmock.h>

#include "graph/ops/matrix_multiply.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"
#include "targets/region_ops.h"

namespace kiln::test {
namespace {

using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::MatrixOperation;
using testing::Contains;
using testing::Not;

constexpr char const* kName = "region_warpgroups";

std::unique_ptr<graph::Op> product(MatrixOperation right = MatrixOperation::kNONE) {
    auto op = std::make_unique<graph::MatrixMultiply>();
    op->operation = {MatrixOperation::kNONE, right};
    return op;
}

/// gelu(x * w + bias)
graph::Region geluRegion(MatrixOperation right = MatrixOperation::kNONE) {
    graph::Region region(3);
    int32_t const first = region.add(product(right), {0, 1});
    int32_t const sum = region.add(ops::elementwise(ElementWiseOperation::kSUM), {first, 2});
    region.setResults({region.add(ops::activation(ActivationType::kGELU_ERF), {sum})});
    return region;
}

/// Whether the GPU has the kernel's instructions.
bool fits() {
    return targets::cuda::Gpu::current().architecture.text() == "sm_90";
}

void check(graph::Region const& region, std::vector<Dims> const& dims, int64_t offset = 0) {
    for (DataType const type : {DataType::kHALF, DataType::kBF16}) {
        std::vector<Values> inputs;
        for (Dims const& each : dims) {
            inputs.push_back(randomTensor(type, each));
        }
        double const terms = static_cast<double>(dims[0].d[dims[0].nbDims - 1]);
        // Only the result is rounded; cuBLASLt's may be rounded before the operations, too.
        Tolerance const tolerance{terms * 0x1p-18 + 8.0 * roundingOf(type), 8.0 * roundingOf(type)};
        std::vector<std::string> const kernels =
            expectValues(region, inputs, ops::expectedOf(region, inputs), tolerance, offset);
        if (fits()) {
            EXPECT_THAT(kernels, Contains(kName));
        }
    }
}

TEST(CudaWarpgroupProduct, TilesAndTheirEdges) {
    KILN_NEEDS_GPU();
    for (auto const& [rows, columns, terms] :
         {std::tuple(1, 8, 8), std::tuple(130, 264, 72), std::tuple(300, 40, 136),
          std::tuple(64, 520, 320)}) {
        check(geluRegion(),
              {makeDims({rows, terms}), makeDims({terms, columns}), makeDims({1, columns})});
    }
}

TEST(CudaWarpgroupProduct, ColumnsOfTermsOnTheRight) {
    KILN_NEEDS_GPU();
    check(geluRegion(MatrixOperation::kTRANSPOSE),
          {makeDims({130, 72}), makeDims({264, 72}), makeDims({1, 264})});
}

TEST(CudaWarpgroupProduct, BatchesAreRows) {
    KILN_NEEDS_GPU();
    check(geluRegion(), {makeDims({3, 50, 24}), makeDims({1, 24, 16}), makeDims({1, 1, 16})});
}

TEST(CudaWarpgroupProduct, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    for (int64_t const offset : {1, 3, 8}) {
        check(geluRegion(), {makeDims({20, 24}), makeDims({24, 16}), makeDims({1, 16})}, offset);
    }
}

TEST(CudaWarpgroupProduct, OperandsOfEachShape) {
    KILN_NEEDS_GPU();
    // (x * w * one + bias) * sigmoid(matrix)
    graph::Region region(5);
    int32_t const first = region.add(product(), {0, 1});
    int32_t const scaled = region.add(ops::elementwise(ElementWiseOperation::kPROD), {2, first});
    int32_t const sum = region.add(ops::elementwise(ElementWiseOperation::kSUM), {scaled, 3});
    int32_t const gate = region.add(ops::elementwise(ElementWiseOperation::kPROD), {sum, 4});
    region.setResults({region.add(ops::activation(ActivationType::kSIGMOID), {gate})});
    for (Dims const& matrix : {makeDims({2, 33, 24}), makeDims({2, 33, 1}), makeDims({1, 1, 24})}) {
        check(region, {makeDims({2, 33, 16}), makeDims({1, 16, 24}), makeDims({1, 1, 1}),
                       makeDims({1, 1, 24}), matrix});
    }
}

TEST(CudaWarpgroupProduct, OperationsWithoutOperands) {
    KILN_NEEDS_GPU();
    graph::Region region(2);
    int32_t const first = region.add(product(), {0, 1});
    int32_t const gate = region.add(ops::activation(ActivationType::kSIGMOID), {first});
    region.setResults({region.add(ops::elementwise(ElementWiseOperation::kPROD), {gate, first})});
    check(region, {makeDims({130, 16}), makeDims({16, 24})});
}

TEST(CudaWarpgroupProduct, RefusesOthers) {
    KILN_NEEDS_GPU();
    auto const kernels = [](graph::Region const& region, DataType type,
                            std::vector<Dims> const& dims) {
        std::vector<Values> inputs;
        for (Dims const& each : dims) {
            inputs.push_back(randomTensor(type, each));
        }
        std::vector<std::string> names;
        for (KernelRun const& run : runAllOnGpu(region, inputs)) {
            names.push_back(run.kernel);
        }
        return names;
    };
    // Rows of less than whole 16 bytes, another type, and several right matrices.
    EXPECT_THAT(kernels(geluRegion(), DataType::kHALF,
                        {makeDims({4, 12}), makeDims({12, 16}), makeDims({1, 16})}),
                Not(Contains(kName)));
    EXPECT_THAT(kernels(geluRegion(), DataType::kFLOAT,
                        {makeDims({4, 16}), makeDims({16, 16}), makeDims({1, 16})}),
                Not(Contains(kName)));
    EXPECT_THAT(kernels(geluRegion(), DataType::kHALF,
                        {makeDims({2, 4, 16}), makeDims({2, 16, 16}), makeDims({1, 1, 16})}),
                Not(Contains(kName)));
}

} // namespace
} // namespace kiln::test
