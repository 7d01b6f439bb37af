// Part of a triangular factor, laid out for products with one or three vectors: in tiles of four columns and eight
// rows, in the order in which both products read them. Tiles without anything worth mentioning are left out.
// Numbers are in single precision, or of 16 bits with a scale for each column: half as much to read, for a
// preconditioner whose factor is far larger than the caches.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "pliant/math/simd.h"
#include "pliant/math/types.h"

namespace pliant {

template <class Entry>
class FactorPanel {
public:
    static_assert(std::is_same_v<Entry, float> || std::is_same_v<Entry, std::int16_t>);

    // How long vectors must be, at the least.
    static std::size_t padded(std::size_t rows) { return (rows + strip - 1) / strip * strip; }

    // Leaves out tiles in which nothing is larger than `drop` times the largest of its column.
    void assign(const Eigen::Ref<const Eigen::MatrixXd>& matrix, Real drop) {
        const auto rows = matrix.rows(), columns = matrix.cols();
        entries_.clear();
        strips_.clear();
        begin_.assign(1, 0);
        scales_.assign(padded(std::size_t(columns)), 0);
        Eigen::VectorXd largest = Eigen::VectorXd::Zero(Eigen::Index(scales_.size()));
        if (rows > 0) largest.head(columns) = matrix.cwiseAbs().colwise().maxCoeff();
        for (Eigen::Index c = 0; c < columns; ++c) scales_[std::size_t(c)] = is_short ? float(largest[c] / most) : 1;
        for (Eigen::Index c = 0; c < columns; c += group) {
            for (Eigen::Index r = 0; r < rows; r += strip) {
                const auto width = std::min<Eigen::Index>(group, columns - c);
                const auto tile = matrix.block(r, c, std::min<Eigen::Index>(strip, rows - r), width);
                const auto worth = drop * largest.segment(c, width).transpose();
                if (!(tile.cwiseAbs().colwise().maxCoeff().array() > worth.array()).any()) continue;
                strips_.push_back(static_cast<std::uint32_t>(r));
                const std::size_t at = entries_.size();
                entries_.resize(at + group * strip, Entry(0));
                for (Eigen::Index k = 0; k < width; ++k) {
                    for (Eigen::Index row = 0; row < tile.rows(); ++row) {
                        const double value = tile(row, k);
                        entries_[at + std::size_t(k * strip + row)] = static_cast<Entry>(
                            is_short && value != 0 ? std::round(value / largest[c + k] * most) : value);
                    }
                }
            }
            begin_.push_back(static_cast<std::uint32_t>(strips_.size()));
        }
        entries_.shrink_to_fit();
        strips_.shrink_to_fit();
    }

    // out += sign A in, for vectors that lie `stride` apart.
    template <int vectors>
    void add_product(const float* in, float* out, std::size_t stride, float sign) const {
        const Entry* from = entries_.data();
        for (std::size_t g = 0; g + 1 < begin_.size(); ++g) {
            Float8 factor[vectors][group];
            for (std::size_t k = 0; k < group; ++k) {
                const std::size_t c = group * g + k;
                for (std::size_t v = 0; v < vectors; ++v) factor[v][k] = Float8(sign * scales_[c] * in[v * stride + c]);
            }
            const std::uint32_t* last = strips_.data() + begin_[g + 1];
            for (const std::uint32_t* r = strips_.data() + begin_[g]; r < last; ++r, from += group * strip) {
                Float8 sum[vectors];
                for (std::size_t v = 0; v < vectors; ++v) sum[v] = simd::load<Float8>(out + v * stride + *r);
                for (std::size_t k = 0; k < group; ++k) {
                    const Float8 a = load(from + k * strip);
                    for (std::size_t v = 0; v < vectors; ++v) sum[v] = simd::fma(a, factor[v][k], sum[v]);
                }
                for (std::size_t v = 0; v < vectors; ++v) simd::store(out + v * stride + *r, sum[v]);
            }
        }
    }

    // out += sign A^T in
    template <int vectors>
    void add_transposed_product(const float* in, float* out, std::size_t stride, float sign) const {
        const Entry* from = entries_.data();
        for (std::size_t g = 0; g + 1 < begin_.size(); ++g) {
            Float8 sum[vectors][group];
            for (std::size_t v = 0; v < vectors; ++v) {
                for (std::size_t k = 0; k < group; ++k) sum[v][k] = Float8(0.0f);
            }
            const std::uint32_t* last = strips_.data() + begin_[g + 1];
            for (const std::uint32_t* r = strips_.data() + begin_[g]; r < last; ++r, from += group * strip) {
                Float8 x[vectors];
                for (std::size_t v = 0; v < vectors; ++v) x[v] = simd::load<Float8>(in + v * stride + *r);
                for (std::size_t k = 0; k < group; ++k) {
                    const Float8 a = load(from + k * strip);
                    for (std::size_t v = 0; v < vectors; ++v) sum[v][k] = simd::fma(a, x[v], sum[v][k]);
                }
            }
            for (std::size_t k = 0; k < group; ++k) {
                const std::size_t c = group * g + k;
                for (std::size_t v = 0; v < vectors; ++v) {
                    out[v * stride + c] += sign * scales_[c] * simd::sum(sum[v][k]);
                }
            }
        }
    }

    std::size_t bytes() const {
        return entries_.capacity() * sizeof(Entry) + (strips_.capacity() + begin_.capacity() + scales_.capacity()) * 4;
    }

private:
    static constexpr bool is_short = std::is_same_v<Entry, std::int16_t>;
    static constexpr std::size_t group = 4, strip = Float8::width;
    static constexpr double most = 32767;

    static Float8 load(const Entry* from) {
        if constexpr (is_short) {
            return simd::load_shorts(from);
        } else {
            return simd::load<Float8>(from);
        }
    }

    std::vector<Entry> entries_;         // tile by tile, in each column by column
    std::vector<std::uint32_t> strips_;  // of tiles: the first row
    std::vector<std::uint32_t> begin_;   // of groups of columns, in strips_
    std::vector<float> scales_;          // of columns
};

}  // namespace pliant
