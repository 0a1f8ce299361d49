// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

void initEnumsBuild(py::module_& m) {
    {
        using E = nvinfer1::NetworkDefinitionCreationFlag;
        defineEnum<E>(
            m, "NetworkDefinitionCreationFlag",
            "Properties of a network, as bits of Builder.create_network: ``1 << int(flag)``.",
            {
                {"EXPLICIT_BATCH", E::kEXPLICIT_BATCH},
                {"STRONGLY_TYPED", E::kSTRONGLY_TYPED},
                {"PREFER_JIT_PYTHON_PLUGINS", E::kPREFER_JIT_PYTHON_PLUGINS},
                {"PREFER_AOT_PYTHON_PLUGINS", E::kPREFER_AOT_PYTHON_PLUGINS},
            });
    }
    {
        using E = nvinfer1::BuilderFlag;
        defineEnum<E>(m, "BuilderFlag", "Options of a build.",
                      {
                          {"FP16", E::kFP16},
                          {"INT8", E::kINT8},
                          {"DEBUG", E::kDEBUG},
                          {"GPU_FALLBACK", E::kGPU_FALLBACK},
                          {"REFIT", E::kREFIT},
                          {"DISABLE_TIMING_CACHE", E::kDISABLE_TIMING_CACHE},
                          {"TF32", E::kTF32},
                          {"SPARSE_WEIGHTS", E::kSPARSE_WEIGHTS},
                          {"SAFETY_SCOPE", E::kSAFETY_SCOPE},
                          {"OBEY_PRECISION_CONSTRAINTS", E::kOBEY_PRECISION_CONSTRAINTS},
                          {"PREFER_PRECISION_CONSTRAINTS", E::kPREFER_PRECISION_CONSTRAINTS},
                          {"DIRECT_IO", E::kDIRECT_IO},
                          {"REJECT_EMPTY_ALGORITHMS", E::kREJECT_EMPTY_ALGORITHMS},
                          {"VERSION_COMPATIBLE", E::kVERSION_COMPATIBLE},
                          {"EXCLUDE_LEAN_RUNTIME", E::kEXCLUDE_LEAN_RUNTIME},
                          {"FP8", E::kFP8},
                          {"ERROR_ON_TIMING_CACHE_MISS", E::kERROR_ON_TIMING_CACHE_MISS},
                          {"BF16", E::kBF16},
                          {"DISABLE_COMPILATION_CACHE", E::kDISABLE_COMPILATION_CACHE},
                          {"STRIP_PLAN", E::kSTRIP_PLAN},
                          {"WEIGHTLESS", E::kWEIGHTLESS},
                          {"REFIT_IDENTICAL", E::kREFIT_IDENTICAL},
                          {"WEIGHT_STREAMING", E::kWEIGHT_STREAMING},
                          {"INT4", E::kINT4},
                          {"REFIT_INDIVIDUAL", E::kREFIT_INDIVIDUAL},
                          {"STRICT_NANS", E::kSTRICT_NANS},
                          {"MONITOR_MEMORY", E::kMONITOR_MEMORY},
                          {"FP4", E::kFP4},
                          {"EDITABLE_TIMING_CACHE", E::kEDITABLE_TIMING_CACHE},
                          {"DISTRIBUTIVE_INDEPENDENCE", E::kDISTRIBUTIVE_INDEPENDENCE},
                      });
    }
    {
        using E = nvinfer1::MemoryPoolType;
        defineEnum<E>(m, "MemoryPoolType", "A kind of memory whose use a build may limit.",
                      {
                          {"WORKSPACE", E::kWORKSPACE},
                          {"DLA_MANAGED_SRAM", E::kDLA_MANAGED_SRAM},
                          {"DLA_LOCAL_DRAM", E::kDLA_LOCAL_DRAM},
                          {"DLA_GLOBAL_DRAM", E::kDLA_GLOBAL_DRAM},
                          {"TACTIC_DRAM", E::kTACTIC_DRAM},
                          {"TACTIC_SHARED_MEMORY", E::kTACTIC_SHARED_MEMORY},
                      });
    }
    {
        using E = nvinfer1::PreviewFeature;
        defineEnum<E>(m, "PreviewFeature",
                      "A feature that can be tried before it becomes the default.",
                      {
                          {"PROFILE_SHARING_0806", E::kPROFILE_SHARING_0806},
                          {"ALIASED_PLUGIN_IO_10_03", E::kALIASED_PLUGIN_IO_10_03},
                          {"RUNTIME_ACTIVATION_RESIZE_10_10", E::kRUNTIME_ACTIVATION_RESIZE_10_10},
                          {"MULTIDEVICE_RUNTIME_10_16", E::kMULTIDEVICE_RUNTIME_10_16},
                      });
    }
    {
        using E = nvinfer1::HardwareCompatibilityLevel;
        defineEnum<E>(m, "HardwareCompatibilityLevel", "Which other GPUs an engine must run on.",
                      {
                          {"NONE", E::kNONE},
                          {"AMPERE_PLUS", E::kAMPERE_PLUS},
                          {"SAME_COMPUTE_CAPABILITY", E::kSAME_COMPUTE_CAPABILITY},
                      });
    }
    {
        using E = nvinfer1::RuntimePlatform;
        defineEnum<E>(m, "RuntimePlatform", "The system that an engine is built for.",
                      {
                          {"SAME_AS_BUILD", E::kSAME_AS_BUILD},
                          {"WINDOWS_AMD64", E::kWINDOWS_AMD64},
                      });
    }
    {
        using E = nvinfer1::TilingOptimizationLevel;
        defineEnum<E>(m, "TilingOptimizationLevel", "How long a build searches for tilings.",
                      {
                          {"NONE", E::kNONE},
                          {"FAST", E::kFAST},
                          {"MODERATE", E::kMODERATE},
                          {"FULL", E::kFULL},
                      });
    }
    {
        using E = nvinfer1::EngineCapability;
        defineEnum<E>(m, "EngineCapability", "The kind of runtime that an engine is built for.",
                      {
                          {"STANDARD", E::kSTANDARD},
                          {"SAFETY", E::kSAFETY},
                          {"DLA_STANDALONE", E::kDLA_STANDALONE},
                      });
    }
    {
        using E = nvinfer1::ProfilingVerbosity;
        defineEnum<E>(m, "ProfilingVerbosity", "How much an engine stores about its layers.",
                      {
                          {"LAYER_NAMES_ONLY", E::kLAYER_NAMES_ONLY},
                          {"NONE", E::kNONE},
                          {"DETAILED", E::kDETAILED},
                      });
    }
    {
        using E = nvinfer1::TacticSource;
        defineEnum<E>(m, "TacticSource", "A library or family of kernels that a build may use.",
                      {
                          {"CUBLAS", E::kCUBLAS},
                          {"CUBLAS_LT", E::kCUBLAS_LT},
                          {"CUDNN", E::kCUDNN},
                          {"EDGE_MASK_CONVOLUTIONS", E::kEDGE_MASK_CONVOLUTIONS},
                          {"JIT_CONVOLUTIONS", E::kJIT_CONVOLUTIONS},
                      });
    }
    {
        using E = nvinfer1::QuantizationFlag;
        defineEnum<E>(m, "QuantizationFlag", "Options of calibration.",
                      {
                          {"CALIBRATE_BEFORE_FUSION", E::kCALIBRATE_BEFORE_FUSION},
                      });
    }
    {
        using E = nvinfer1::CalibrationAlgoType;
        defineEnum<E>(m, "CalibrationAlgoType", "How a calibrator turns samples into ranges.",
                      {
                          {"LEGACY_CALIBRATION", E::kLEGACY_CALIBRATION},
                          {"ENTROPY_CALIBRATION", E::kENTROPY_CALIBRATION},
                          {"ENTROPY_CALIBRATION_2", E::kENTROPY_CALIBRATION_2},
                          {"MINMAX_CALIBRATION", E::kMINMAX_CALIBRATION},
                      });
    }
}

} // namespace kiln::python
