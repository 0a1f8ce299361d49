// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// All of Isa's functions; see vector.h. isaNamed() makes the table.

#include "targets/cpu/generic/vector.h"

#include "targets/cpu/generic/stores.h"

#include "targets/cpu/generic/exponentials.h"
#include "targets/cpu/generic/powers.h"

#include "targets/cpu/generic/conversions.h"
#include "targets/cpu/generic/folds.h"
#include "targets/cpu/generic/maps.h"
#include "targets/cpu/generic/products.h"
#include "targets/cpu/generic/rows.h"
#include "targets/cpu/generic/slides.h"
#include "targets/cpu/generic/streams.h"
#include "targets/cpu/generic/transposes.h"

#include "targets/cpu/generic/gathers.h"
#include "targets/cpu/generic/narrow.h"
#include "targets/cpu/generic/narrow_streams.h"
#include "targets/cpu/generic/quantize.h"
#include "targets/cpu/generic/windows.h"
#include "targets/cpu/generic/winograd.h"

#include "targets/cpu/generic/attention.h"

static constexpr Isa isaNamed(char const* name) noexcept {
    Isa isa{};
    isa.name = name;
    isa.tileProduct = tileProduct;
    isa.streamProduct = streamProduct;
    isa.halfToFloat = halfToFloatArray;
    isa.floatToHalf = floatToHalfArray;
    isa.bfloat16ToFloat = bfloat16ToFloatArray;
    isa.floatToBfloat16 = floatToBfloat16Array;
    isa.wholeToFloat[0] = wholeToFloatArray<int8_t>;
    isa.wholeToFloat[1] = wholeToFloatArray<uint8_t>;
    isa.wholeToFloat[2] = wholeToFloatArray<int32_t>;
    isa.wholeToFloat[3] = wholeToFloatArray<int64_t>;
    isa.wholeToFloat[4] = boolToFloatArray;
    isa.floatToWhole[0] = floatToWholeArray<int8_t, 8>;
    isa.floatToWhole[1] = floatToWholeArray<uint8_t, 8>;
    isa.floatToWhole[2] = floatToWholeArray<int32_t, 32>;
    isa.floatToWhole[3] = floatToWholeArray<int64_t, 64>;
    isa.floatToWhole[4] = floatToBoolArray;
    isa.fp8ToFloat = fp8ToFloatArray;
    isa.floatToFp8 = floatToFp8Array;
    isa.floatToFp4 = floatToFp4Array;
    isa.nibblesToFloat = nibblesToFloatArray;
    isa.packNibbles = packNibblesArray;
    isa.narrowProduct[0] = narrowProduct<NarrowKind::kNibbles>;
    isa.narrowProduct[1] = narrowProduct<NarrowKind::kSigned>;
    isa.narrowProduct[2] = narrowProduct<NarrowKind::kUnsigned>;
    isa.narrowToFloat[0] = narrowToFloat<NarrowKind::kNibbles>;
    isa.narrowToFloat[1] = narrowToFloat<NarrowKind::kSigned>;
    isa.narrowToFloat[2] = narrowToFloat<NarrowKind::kUnsigned>;
    isa.exp = expArray;
    isa.maximum = maximumArray;
    isa.softmax = softmaxRow;
    fillMaps<0, StoreKind::kUsual>(isa.maps);
    fillCombines<0, StoreKind::kUsual>(isa.combines);
    fillMaps<0, StoreKind::kPastCaches>(isa.mapsPastCaches);
    fillCombines<0, StoreKind::kPastCaches>(isa.combinesPastCaches);
    isa.endPastCaches = endPastCaches;
    isa.choose = chooseArray;
    fillFolds(isa);
    isa.slideSum = slideWindow<FoldFunction::kSum>;
    isa.slideMaximum = slideWindow<FoldFunction::kMaximum>;
    isa.windowFilter = slidePlane<WindowKind::kFilter>;
    isa.windowSum = slidePlane<WindowKind::kSum>;
    isa.windowMaximum = slidePlane<WindowKind::kMaximum>;
    isa.winogradInput[0] = winogradInput<2>;
    isa.winogradInput[1] = winogradInput<4>;
    isa.winogradOutput[0] = winogradOutput<2>;
    isa.winogradOutput[1] = winogradOutput<4>;
    isa.winogradProduct = winogradProduct;
    isa.quantize[0] = quantizeArray<int8_t>;
    isa.quantize[1] = quantizeArray<uint8_t>;
    isa.gather32[0] = gatherWords<int32_t>;
    isa.gather32[1] = gatherWords<int64_t>;
    isa.weightedGather = weightedGather;
    isa.moments = momentsOfRow;
    isa.sumOfSquares = sumOfSquares;
    isa.normalize = normalizeRow;
    isa.stridedProduct[0] = stridedProduct<false>;
    isa.stridedProduct[1] = stridedProduct<true>;
    isa.addToRows = addToRows;
    isa.softmaxStep = softmaxStep;
    isa.scaleColumns = scaleColumns;
    isa.dots = dotsArray;
    isa.weightedSum = weightedSum;
    isa.doubleWords = doubleWords;
    isa.transpose32 = transpose32;
    isa.transpose16 = transpose16;
    return isa;
}
