/* SPDX-FileCopyrightText: Kiln contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C calling convention of ahead-of-time compiled kernels for the CPU.
 *
 * An aot_impl for the target "cpu" returns object code (an ELF relocatable or shared object) with a
 * function of type KilnHostKernel. The plan stores the code, and the engine calls it without
 * Python. Such code counts as host code: the engine loads only if setEngineHostCodeAllowed(true)
 * was called on the runtime.
 *
 *     #include <kiln/host_kernel.h>
 *
 *     int32_t add(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
 *                 KilnHostCall const* call) {
 *         float const* x = (float const*)inputs[0];
 *         float const* y = (float const*)inputs[1];
 *         float* z = (float*)outputs[0];
 *         for (int64_t i = 0; i < scalars[0].integer; ++i) {
 *             z[i] = x[i] + y[i];
 *         }
 *         return 0;
 *     }
 *
 * In C++, declare the function extern "C". A Numba cfunc may declare the four arguments with other
 * pointer types, such as CPointer(CPointer(float32)) and CPointer(int64).
 */
#ifndef KILN_HOST_KERNEL_H
#define KILN_HOST_KERNEL_H

#include <stdint.h>

/** A scalar argument: `integer` for the integer types, `real` for both floating-point types. */
typedef union KilnScalar {
    int64_t integer;
    double real;
} KilnScalar;

/** Description of a tensor, valid for one call. */
typedef struct KilnTensorDesc {
    int32_t type;           /**< nvinfer1::DataType */
    int32_t format;         /**< nvinfer1::TensorFormat */
    int32_t rank;           /**< 0 to 8 */
    int32_t reserved;       /**< 0 */
    int64_t const* extents; /**< `rank` values; -1 if a size tensor of this op sets it */
    int64_t const* strides; /**< `rank` values, in elements; -1 before an extent of -1 */
} KilnTensorDesc;

/** Information about a call, beside the tensors. */
typedef struct KilnHostCall {
    uint32_t version; /**< 1; later versions only append members */
    int32_t inputCount;
    int32_t outputCount;
    int32_t scalarCount;
    KilnTensorDesc const* inputs;
    KilnTensorDesc const* outputs;
    int64_t grid[3]; /**< evaluated launch parameters; Kiln calls the kernel once */
    int64_t block[3];
    int64_t sharedBytes;
} KilnHostCall;

/**
 * Computes the outputs. The work must be complete on return.
 *
 * inputs, outputs: one address for each tensor, aligned to 64 bytes when Kiln owns the memory.
 * scalars: the extra arguments. call: valid during the call. All are owned by Kiln.
 * Returns 0 for success; any other value fails the execution.
 *
 * Different execution contexts may call it concurrently from several threads.
 */
typedef int32_t (*KilnHostKernel)(void const* const* inputs, void* const* outputs,
                                  KilnScalar const* scalars, KilnHostCall const* call);

#endif
