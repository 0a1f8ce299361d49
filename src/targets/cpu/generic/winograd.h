// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of 3 x 3 by Winograd's minimal filtering: tiles of kSide x kSide results from
// patches of kSide + 2, transformed along both axes. The interpolation points are 0, infinity, and
// 1 and -1 for kSide 2, kNear, -kNear, kFar and -kFar for kSide 4. Lanes are channels, or maps.
// Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.

constexpr float kNear = kWinogradNear;
constexpr float kFar = kWinogradFar;
constexpr float kNear2 = kNear * kNear;
constexpr float kFar2 = kFar * kFar;

constexpr int64_t kFloatsOfLine = 16; ///< of the caches

template <int64_t kSide>
static inline void transformPatch(Vector const* d, Vector* to) noexcept {
    if constexpr (kSide == 2) {
        to[0] = d[0] - d[2];
        to[1] = d[1] + d[2];
        to[2] = d[2] - d[1];
        to[3] = d[1] - d[3];
    } else {
        Vector const evenNear = d[4] - kFar2 * d[2];
        Vector const oddNear = kNear * (d[3] - kFar2 * d[1]);
        Vector const evenFar = d[4] - kNear2 * d[2];
        Vector const oddFar = kFar * (d[3] - kNear2 * d[1]);
        to[0] = kNear2 * kFar2 * d[0] + (d[4] - (kNear2 + kFar2) * d[2]);
        to[1] = evenNear + oddNear;
        to[2] = evenNear - oddNear;
        to[3] = evenFar + oddFar;
        to[4] = evenFar - oddFar;
        to[5] = kNear2 * kFar2 * d[1] + (d[5] - (kNear2 + kFar2) * d[3]);
    }
}

template <int64_t kSide>
static inline void transformSums(Vector const* m, Vector* to) noexcept {
    if constexpr (kSide == 2) {
        to[0] = m[0] + (m[1] + m[2]);
        to[1] = (m[1] - m[2]) - m[3];
    } else {
        Vector const sumNear = m[1] + m[2];
        Vector const oddNear = m[1] - m[2];
        Vector const sumFar = m[3] + m[4];
        Vector const oddFar = m[3] - m[4];
        to[0] = m[0] + (sumNear + sumFar);
        to[1] = kNear * oddNear + kFar * oddFar;
        to[2] = kNear2 * sumNear + kFar2 * sumFar;
        to[3] = kNear * kNear2 * oddNear + (kFar * kFar2 * oddFar + m[5]);
    }
}

/// The points of the tiles of a patch with kSide * rows + 2 by kSide * columns + 2 pixels.
template <int64_t kSide>
static void winogradInput(WinogradTiles const& tiles, float const* patch, float* to) noexcept {
    constexpr int64_t kExtent = kSide + 2;
    int64_t const row = tiles.patchRow * kWinogradChannels;
    for (int64_t y = 0; y < tiles.rows; ++y) {
        for (int64_t x = 0; x < tiles.columns; ++x, to += tiles.tileStep) {
            float const* const from = patch + kSide * (y * row + x * kWinogradChannels);
            for (int64_t lane = 0; lane < kWinogradChannels; lane += kLanes) {
                Vector half[kExtent][kExtent];
                for (int64_t j = 0; j < kExtent; ++j) {
                    Vector pixels[kExtent];
                    for (int64_t i = 0; i < kExtent; ++i) {
                        pixels[i] = loadVector(from + i * row + j * kWinogradChannels + lane);
                    }
                    Vector points[kExtent];
                    transformPatch<kSide>(pixels, points);
                    for (int64_t i = 0; i < kExtent; ++i) {
                        half[i][j] = points[i];
                    }
                }
                for (int64_t i = 0; i < kExtent; ++i) {
                    Vector points[kExtent];
                    transformPatch<kSide>(half[i], points);
                    for (int64_t j = 0; j < kExtent; ++j) {
                        storeVector(to + (i * kExtent + j) * tiles.pointStep + lane, points[j]);
                    }
                }
            }
        }
    }
}

/// The results of tiles, as a patch of kSide * rows by kSide * columns pixels.
template <int64_t kSide>
static void winogradOutput(WinogradTiles const& tiles, float const* sums,
                           WinogradFinish const& finish, float* patch) noexcept {
    constexpr int64_t kExtent = kSide + 2;
    int64_t const row = tiles.patchRow * kWinogradChannels;
    Vector const least = splat(finish.least);
    Vector const most = splat(finish.most);
    for (int64_t y = 0; y < tiles.rows; ++y) {
        for (int64_t x = 0; x < tiles.columns; ++x, sums += tiles.tileStep) {
            float* const to = patch + kSide * (y * row + x * kWinogradChannels);
            for (int64_t lane = 0; lane < kWinogradChannels; lane += kLanes) {
                Vector half[kSide][kExtent];
                for (int64_t j = 0; j < kExtent; ++j) {
                    Vector points[kExtent];
                    for (int64_t i = 0; i < kExtent; ++i) {
                        points[i] = loadVector(sums + (i * kExtent + j) * tiles.pointStep + lane);
                    }
                    Vector results[kSide];
                    transformSums<kSide>(points, results);
                    for (int64_t i = 0; i < kSide; ++i) {
                        half[i][j] = results[i];
                    }
                }
                Vector const bias = loadVector(finish.bias + lane);
                for (int64_t i = 0; i < kSide; ++i) {
                    Vector results[kSide];
                    transformSums<kSide>(half[i], results);
                    for (int64_t j = 0; j < kSide; ++j) { // NaN stays
                        storeVector(to + i * row + j * kWinogradChannels + lane,
                                    smallerOf(most, largerOf(least, results[j] + bias)));
                    }
                }
            }
        }
    }
}

/// With kFetches, `next` comes into the L2 cache: memory is as slow as the products of few rows.
template <int64_t kRows, bool kFetches = false>
static void pointGroup(int64_t depth, float const* a, int64_t lda, float const* b, float* c,
                       float const* next = nullptr) noexcept {
    Vector sums[kRows][2];
    for (auto& row : sums) {
        row[0] = row[1] = Vector{};
    }
    for (int64_t k = 0; k < depth; ++k) {
        if constexpr (kFetches) {
            for (int64_t line = 0; line < kGroup; line += kFloatsOfLine) {
                __builtin_prefetch(next + k * kWinogradMaps + line, 0, 2);
            }
        }
        Vector const first = loadVector(b + k * kWinogradMaps);
        Vector const second = loadVector(b + k * kWinogradMaps + kLanes);
        for (int64_t row = 0; row < kRows; ++row) {
            float const factor = a[row * lda + k];
            sums[row][0] += factor * first;
            sums[row][1] += factor * second;
        }
    }
    for (int64_t row = 0; row < kRows; ++row) {
        storeVector(c + row * kWinogradMaps, sums[row][0]);
        storeVector(c + row * kWinogradMaps + kLanes, sums[row][1]);
    }
}

template <int64_t kRows>
static void pointRest(int64_t rows, int64_t depth, float const* a, int64_t lda, float const* b,
                      float* c) noexcept {
    if constexpr (kRows > 0) {
        if (rows == kRows) {
            pointGroup<kRows>(depth, a, lda, b, c);
        } else {
            pointRest<kRows - 1>(rows, depth, a, lda, b, c);
        }
    }
}

/// c[rows][kWinogradMaps] = a[rows][depth] * b[depth][kWinogradMaps]
static void winogradProduct(int64_t rows, int64_t depth, float const* a, int64_t lda,
                            float const* b, float* c, float const* next) noexcept {
    for (int64_t column = 0; column < kWinogradMaps; column += kGroup) {
        int64_t row = 0;
        if (rows >= kRowsAtOnce) {
            pointGroup<kRowsAtOnce, true>(depth, a, lda, b + column, c + column, next + column);
            row = kRowsAtOnce;
        }
        for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce) {
            pointGroup<kRowsAtOnce>(depth, a + row * lda, lda, b + column,
                                    c + row * kWinogradMaps + column);
        }
        pointRest<kRowsAtOnce - 1>(rows - row, depth, a + row * lda, lda, b + column,
                                   c + row * kWinogradMaps + column);
    }
}
