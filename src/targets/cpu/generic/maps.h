// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one, two and three arrays: the tables Isa::maps and Isa::combines. The result may be
// written over an operand.

static inline Vector rectified(Vector x) noexcept {
    return largerOf(Vector{}, x); // NaN stays
}

static inline Vector floorVector(Vector x) noexcept {
    Vector const whole = nearestWhole(x);
    return withSign(whole > x ? whole - 1.0F : whole, x);
}

static inline Vector ceilVector(Vector x) noexcept {
    Vector const whole = nearestWhole(x);
    return withSign(whole < x ? whole + 1.0F : whole, x);
}

static inline Vector truth(IntVector mask) noexcept {
    return mask ? splat(1.0F) : Vector{};
}

template <float (*kFunction)(float)>
static inline Vector eachLane(Vector x) noexcept {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        x[lane] = kFunction(x[lane]);
    }
    return x;
}

/// The function `kMap` of each lane; a and b are its parameters.
template <MapFunction kMap>
static inline Vector mapped(Vector x, float a, float b) noexcept {
    Vector const zero{};
    Vector const one = splat(1.0F);
    switch (kMap) {
    case MapFunction::kRelu: return rectified(x);
    case MapFunction::kSigmoid: return sigmoidVector(x);
    case MapFunction::kTanh: return tanhVector(x);
    case MapFunction::kLeakyRelu: return x < zero ? a * x : x;
    case MapFunction::kElu: return x < zero ? a * expm1Vector(x) : x;
    case MapFunction::kSelu: return b * (x > zero ? x : a * expm1Vector(x));
    case MapFunction::kSoftsign: return x / (absolute(x) + 1.0F);
    case MapFunction::kSoftplus: return a * softplusVector(b * x);
    case MapFunction::kClip: return largerOf(splat(a), smallerOf(splat(b), x));
    case MapFunction::kHardSigmoid: return smallerOf(one, largerOf(zero, a * x + b));
    case MapFunction::kScaledTanh: return a * tanhVector(b * x);
    case MapFunction::kThresholdedRelu: return x <= splat(a) ? zero : x;
    case MapFunction::kGeluErf: return geluVector(x);
    case MapFunction::kGeluTanh: return geluTanhVector(x);
    case MapFunction::kExp: return expVector(x);
    case MapFunction::kLog: return logVector(x);
    case MapFunction::kSqrt: return squareRoot(x);
    case MapFunction::kRecip: return 1.0F / x;
    case MapFunction::kAbs: return absolute(x);
    case MapFunction::kNeg: return -x;
    case MapFunction::kSin: return sineVector<0>(x);
    case MapFunction::kCos: return sineVector<1>(x);
    case MapFunction::kTan: return eachLane<tanf>(x);
    case MapFunction::kSinh: return eachLane<sinhf>(x);
    case MapFunction::kCosh: return eachLane<coshf>(x);
    case MapFunction::kAsin: return eachLane<asinf>(x);
    case MapFunction::kAcos: return eachLane<acosf>(x);
    case MapFunction::kAtan: return eachLane<atanf>(x);
    case MapFunction::kAsinh: return eachLane<asinhf>(x);
    case MapFunction::kAcosh: return eachLane<acoshf>(x);
    case MapFunction::kAtanh: return eachLane<atanhf>(x);
    case MapFunction::kCeil: return ceilVector(x);
    case MapFunction::kFloor: return floorVector(x);
    case MapFunction::kErf: return erfVector(x);
    case MapFunction::kNot: return one - x;
    case MapFunction::kSign: return x > zero ? one : x < zero ? -one : x;
    case MapFunction::kRound: return nearestWhole(x);
    case MapFunction::kIsInf: return truth(absolute(x) == splat(__builtin_inff()));
    case MapFunction::kIsNan: return truth(x != x);
    case MapFunction::kLinear: return a * x + b;
    case MapFunction::kTruth: return truth(x != zero);
    case MapFunction::kSquare: return x * x;
    case MapFunction::kCube: return x * x * x;
    case MapFunction::kRootOfPower: { // x^0.5: of -0 it is 0, of -infinity infinity
        Vector const root = squareRoot(x) + 0.0F;
        return x == splat(-__builtin_inff()) ? -x : root;
    }
    case MapFunction::kInverseRoot: return 1.0F / squareRoot(x);
    case MapFunction::kPower: return powVector(x, splat(a));
    }
    return x;
}

/// Whether a function takes a few instructions, so that only the memory counts.
static constexpr bool isCheap(MapFunction function) noexcept {
    switch (function) {
    case MapFunction::kRelu:
    case MapFunction::kLeakyRelu:
    case MapFunction::kClip:
    case MapFunction::kHardSigmoid:
    case MapFunction::kThresholdedRelu:
    case MapFunction::kSqrt:
    case MapFunction::kRecip:
    case MapFunction::kAbs:
    case MapFunction::kNeg:
    case MapFunction::kNot:
    case MapFunction::kSign:
    case MapFunction::kLinear:
    case MapFunction::kTruth:
    case MapFunction::kSquare:
    case MapFunction::kCube: return true;
    default: return false;
    }
}

/// Whether stores past the caches are worth code of their own.
static constexpr bool isBoundByMemory(MapFunction function) noexcept {
    return isCheap(function) || function == MapFunction::kExp ||
           function == MapFunction::kSigmoid || function == MapFunction::kTanh;
}

static constexpr bool isBoundByMemory(CombineFunction function) noexcept {
    return function != CombineFunction::kPower && function <= CombineFunction::kFloorQuotient;
}

/// Functions that take as long as the memory would wait for it, so both arrays are fetched ahead.
/// For cheap ones, the processor's own prefetcher is enough, and more of them take up to a fifth
/// longer on Zen 4.
template <MapFunction kMap, StoreKind kStore>
static void mapArray(float const* x, float* to, int64_t count, float a, float b) noexcept {
    constexpr int64_t kDistance = 512;
    int64_t i = resultsBefore<kStore>(to, count);
    if (i > 0) {
        storePart(to, mapped<kMap>(loadPart(x, i), a, b), i);
    }
    for (; i + kLanes <= count; i += kLanes) {
        if constexpr (!isCheap(kMap)) {
            __builtin_prefetch(x + i + kDistance);
            if constexpr (kStore == StoreKind::kUsual) {
                __builtin_prefetch(to + i + kDistance, 1);
            }
        }
        storeResult<kStore>(to + i, mapped<kMap>(loadVector(x + i), a, b));
    }
    if (i < count) {
        storePart(to + i, mapped<kMap>(loadPart(x + i, count - i), a, b), count - i);
    }
}

template <CombineFunction kCombine>
static inline Vector combined(Vector x, Vector y) noexcept {
    switch (kCombine) {
    case CombineFunction::kSum: return x + y;
    case CombineFunction::kProduct: return x * y;
    case CombineFunction::kMaximum: return x == x ? largerOf(x, y) : x;
    case CombineFunction::kMinimum: return x == x ? smallerOf(x, y) : x;
    case CombineFunction::kDifference: return x - y;
    case CombineFunction::kQuotient: return x / y;
    case CombineFunction::kPower: return powVector(x, y);
    case CombineFunction::kFloorQuotient: return floorVector(x / y);
    case CombineFunction::kAnd: return truth((x != Vector{}) & (y != Vector{}));
    case CombineFunction::kOr: return truth((x != Vector{}) | (y != Vector{}));
    case CombineFunction::kXor: return truth((x != Vector{}) ^ (y != Vector{}));
    case CombineFunction::kEqual: return truth(x == y);
    case CombineFunction::kGreater: return truth(x > y);
    case CombineFunction::kLess: return truth(x < y);
    }
    return x;
}

/// kForm: which operands are arrays.
template <CombineFunction kCombine, CombineForm kForm, StoreKind kStore>
static void combineArrays(float const* x, float const* y, float* to, int64_t count) noexcept {
    constexpr bool kX = kForm != CombineForm::kScalarLeft;
    constexpr bool kY = kForm != CombineForm::kScalarRight;
    Vector const left = kX ? Vector{} : splat(*x);
    Vector const right = kY ? Vector{} : splat(*y);
    auto const part = [=](int64_t begin, int64_t size) noexcept {
        storePart(to + begin,
                  combined<kCombine>(kX ? loadPart(x + begin, size) : left,
                                     kY ? loadPart(y + begin, size) : right),
                  size);
    };
    int64_t i = resultsBefore<kStore>(to, count);
    if (i > 0) {
        part(0, i);
    }
    for (; i + kLanes <= count; i += kLanes) {
        storeResult<kStore>(to + i, combined<kCombine>(kX ? loadVector(x + i) : left,
                                                       kY ? loadVector(y + i) : right));
    }
    if (i < count) {
        part(i, count - i);
    }
}

/// to = condition != 0 ? x : y
static void chooseArray(float const* condition, float const* x, float const* y, float* to,
                        int64_t count) noexcept {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector const holds = loadVector(condition + i);
        storeVector(to + i, holds != Vector{} ? loadVector(x + i) : loadVector(y + i));
    }
    if (i < count) {
        int64_t const rest = count - i;
        Vector const holds = loadPart(condition + i, rest);
        storePart(to + i, holds != Vector{} ? loadPart(x + i, rest) : loadPart(y + i, rest), rest);
    }
}

template <int32_t kFirst, StoreKind kStore>
static constexpr void fillMaps(Map* table) noexcept {
    if constexpr (kFirst < kMapFunctions) {
        constexpr auto kMap = static_cast<MapFunction>(kFirst);
        if constexpr (kStore == StoreKind::kUsual || isBoundByMemory(kMap)) {
            table[kFirst] = &mapArray<kMap, kStore>;
        }
        fillMaps<kFirst + 1, kStore>(table);
    }
}

template <int32_t kFirst, StoreKind kStore>
static constexpr void fillCombines(Combine (*table)[3]) noexcept {
    if constexpr (kFirst < kCombineFunctions) {
        constexpr auto kCombine = static_cast<CombineFunction>(kFirst);
        if constexpr (kStore == StoreKind::kUsual || isBoundByMemory(kCombine)) {
            table[kFirst][0] = &combineArrays<kCombine, CombineForm::kArrays, kStore>;
            table[kFirst][1] = &combineArrays<kCombine, CombineForm::kScalarRight, kStore>;
            table[kFirst][2] = &combineArrays<kCombine, CombineForm::kScalarLeft, kStore>;
        }
        fillCombines<kFirst + 1, kStore>(table);
    }
}
