// The loops of ElasticLoops in single precision, for products of the elastic solve. Differences are taken out of the
// sums, so that for a neighbour nothing is done but to add up sixteen numbers, which fill one line of the cache:
//     H_i = sum_j g_ij y_j X_j^T - (sum_j g_ij y_j) X_i^T - y_i a_i^T,   a_i = sum_j g_ij X_ij
//     f_i = sum_j g_ij T_j X_j - (sum_j g_ij T_j) X_i + T_i a_i
//         + sum_j g_ij beta_j y_j - y_i sum_j g_ij beta_j + beta_i sum_j g_ij y_ij
// The price is rounding, which grows with the distance |X| from the body's middle: see reach().
#pragma once

#include <span>

#include "pliant/base/parallel.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/math/types.h"
#include "pliant/math/wide.h"
#include "pliant/methods/sph/elastic_rows.h"
#include "pliant/methods/sph/elastic_scratch.h"
#include "pliant/particles/state.h"

namespace pliant {

class RoughLoops {
public:
    // Particles from `bodies[k].first` to `.last` are a body.
    void set_rest(const ElasticRows& rows, std::span<const Vec3> X, std::span<const Real> beta,
                  std::span<const BodyRange> bodies, std::span<const std::uint32_t> origin, ElasticScratch& scratch);
    bool is_stabilised() const { return is_stabilised_; }

    // The largest distance of a particle from the middle of its body [m].
    Real reach() const { return reach_; }

    // Forces of y where T = stress(pack of eight, H, beta); finish(i, f_i).
    template <class Stress, class Finish>
    void sum(std::span<const Vec3> y, Stress&& stress, Finish&& finish) {
        set_positions(y);
        const auto stress_pack = [&](std::size_t k) {
            WideVec3<Float8> y_i, sum_y;
            const WideMat3<Float8> H = moments(k, y_i, sum_y);
            take_stress(k, stress(k, H, constants_[k].beta), y_i, sum_y);
        };
        parallel_for(packs(), stress_pack, 32);
        is_stabilised_ ? gather<true>(finish) : gather<false>(finish);
    }

    std::size_t bytes() const;

private:
    static constexpr std::size_t line = 16;
    typedef float Quad __attribute__((vector_size(16), may_alias));

    // Of eight particles.
    struct Constants {
        alignas(32) float X[3][8];
        WideVec3<Float8> a;
        Float8 beta, sum, sum_beta;  // sum_j g_ij, sum_j g_ij beta_j

        WideVec3<Float8> wide_X() const {
            using simd::load_aligned;
            return {load_aligned<Float8>(X[0]), load_aligned<Float8>(X[1]), load_aligned<Float8>(X[2])};
        }
    };
    struct Line {
        Float8 low, high;
    };
    float X(std::size_t i, std::size_t d) const { return constants_[i / 8].X[d][i % 8]; }
    static Float8 in_quads(float a, float b) { return Float8(Float8::Vector{a, a, a, a, b, b, b, b}); }

    // Lines y X_1, y X_2, y X_3, y, each a quad with anything behind.
    float* position() const { return reinterpret_cast<float*>(scratch_->first.data()); }
    // Lines T_1, T_2, T_3, T X; behind the first three are the components of beta y.
    float* stress() const { return reinterpret_cast<float*>(scratch_->second.data()); }
    // Quads behind all of these lines: what does not come from neighbours' stress.
    float* own() const { return stress() + line * 8 * packs(); }
    static_assert(ElasticScratch::second_bytes >= sizeof(float) * (line + 4));
    std::size_t packs() const { return (rows_->size() + 7) / 8; }
    void set_positions(std::span<const Vec3> y);
    WideMat3<Float8> moments(std::size_t pack, WideVec3<Float8>& y, WideVec3<Float8>& sum_y) const;
    void take_stress(std::size_t pack, const WideMat3<Float8>& T, const WideVec3<Float8>& y,
                     const WideVec3<Float8>& sum_y);

    // sum_j g_ij line_j
    [[gnu::always_inline]] Line sum_row(std::size_t i, const float* lines) const {
        using simd::fma;
        rows_->fetch_ends<line>(i + ElasticRows::fetched_ahead, lines);
        Line sums[4];
        for (Line& s : sums) s = {Float8(0.0f), Float8(0.0f)};
        rows_->each_record<line>(i, lines, [&](int l, const float* from, const std::uint32_t* weight) {
            const Float8 g = ElasticRows::spread_weight_at<Float8>(weight);
            sums[l].low = fma(simd::load_aligned<Float8>(from), g, sums[l].low);
            sums[l].high = fma(simd::load_aligned<Float8>(from + 8), g, sums[l].high);
        });
        return {(sums[0].low + sums[1].low) + (sums[2].low + sums[3].low),
                (sums[0].high + sums[1].high) + (sums[2].high + sums[3].high)};
    }

    template <bool stabilised, class Finish>
    void gather(Finish&& finish) const {
        using simd::fma;
        parallel_for(
            rows_->size(),
            [&](std::size_t i) {
                const Line sums = sum_row(i, stress());
                const Float8 low = sums.low * in_quads(X(i, 0), X(i, 1));
                const Float8 both = fma(sums.high, in_quads(X(i, 2), -1), low);
                const float* own = this->own() + 4 * i;
                float f[3];
                for (int d = 0; d < 3; ++d) f[d] = own[d] - (both[d] + both[d + 4]);
                if constexpr (stabilised) f[0] += sums.low[3], f[1] += sums.low[7], f[2] += sums.high[3];
                finish(i, Vec3(f[0], f[1], f[2]));
            },
            256);
    }

    const ElasticRows* rows_ = nullptr;
    std::span<const std::uint32_t> origin_;
    bool is_stabilised_ = false;
    Real reach_ = 0;
    RawVector<Constants> constants_;
    ElasticScratch* scratch_ = nullptr;
};

}  // namespace pliant
