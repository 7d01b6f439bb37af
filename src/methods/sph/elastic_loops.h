// The two loops over neighbours behind elastic forces, in double precision:
//     H_i = sum_j g_ij y_ij X_ij^T
//     f_i = sum_j g_ij ((T_i + T_j) X_ij + (beta_i + beta_j) y_ij)
// What turns H into T is the caller's. Both sides of a pair compute the same numbers with opposite signs.
// A particle's data lie together: (X, 0), (y, beta) for the first loop; (T_1, X_1), (T_2, X_2), (T_3, X_3), by columns
// of T, for the second.
#pragma once

#include <algorithm>
#include <span>

#include "pliant/base/parallel.h"
#include "pliant/math/types.h"
#include "pliant/math/wide.h"
#include "pliant/methods/sph/elastic_rows.h"
#include "pliant/methods/sph/elastic_scratch.h"
#include "pliant/methods/sph/quads.h"

namespace pliant {

class ElasticLoops {
public:
    // `origin`: for each particle the one that its positions are measured from, so that no digits are lost far away.
    // All of this is referred to.
    void set_rest(const ElasticRows& rows, std::span<const Vec3> X, std::span<const Real> beta,
                  std::span<const std::uint32_t> origin, ElasticScratch& scratch) {
        rows_ = &rows;
        X_ = X;
        beta_ = beta;
        origin_ = origin;
        scratch_ = &scratch;
        is_stabilised_ = std::any_of(beta.begin(), beta.end(), [](Real b) { return b > 0; });
    }
    bool is_stabilised() const { return is_stabilised_; }

    void set_positions(std::span<const Vec3> y) {
        parallel_for(rows_->size(), [&](std::size_t i) {
            Real* to = place() + place_size * i;
            const std::size_t from = origin_[i];
            simd::store(to, quad(X_[i] - X_[from], 0));
            simd::store(to + 4, quad(y[i] - y[from], beta_[i]));
        });
    }

    // H of the four particles of a pack.
    WideMat3<Double4> moments(std::size_t pack) const {
        Double4 sum[3][4];
        for (std::size_t l = 0; l < 4; ++l) {
            const std::size_t i = 4 * pack + l;
            Double4 H[3] = {Double4(0), Double4(0), Double4(0)};
            if (i < rows_->size()) sum_moment(i, H);
            for (int c = 0; c < 3; ++c) sum[c][l] = H[c];
        }
        WideMat3<Double4> wide;
        for (int c = 0; c < 3; ++c) {
            transpose_square(sum[c]);
            wide.column[c] = {sum[c][0], sum[c][1], sum[c][2]};
        }
        return wide;
    }

    // T = stress(pack, H)
    template <class Stress>
    void stresses(Stress&& stress) {
        const auto stress_pack = [&](std::size_t k) {
            const WideMat3<Double4> T = stress(k, moments(k));
            Double4 X[4];
            for (std::size_t l = 0; l < 4; ++l) X[l] = simd::load_aligned<Double4>(place() + place_size * (4 * k + l));
            transpose_square(X);
            for (std::size_t c = 0; c < 3; ++c) {
                const auto& t = T.column[c];
                Double4 column[4] = {t.x, t.y, t.z, X[c]};
                transpose_square(column);
                for (std::size_t l = 0; l < 4; ++l) {
                    simd::store(stress_data() + stress_size * (4 * k + l) + 4 * c, column[l]);
                }
            }
        };
        parallel_for((rows_->size() + 3) / 4, stress_pack, 64);
    }

    // finish(i, f_i)
    template <class Finish>
    void gather(Finish&& finish) const {
        is_stabilised_ ? gather_rows<true>(finish) : gather_rows<false>(finish);
    }

private:
    static constexpr std::size_t place_size = 8, stress_size = 12;

    static Double4 quad(const Vec3& v, Real behind) { return Double4(Double4::Vector{v.x(), v.y(), v.z(), behind}); }
    Real* place() const { return reinterpret_cast<Real*>(scratch_->first.data()); }
    Real* stress_data() const { return reinterpret_cast<Real*>(scratch_->second.data()); }

    [[gnu::always_inline]] void sum_moment(std::size_t i, Double4 (&H)[3]) const {
        using simd::fma, simd::load_aligned;
        const Real* place = this->place();
        const Double4 X = load_aligned<Double4>(place + place_size * i);
        const Double4 y = load_aligned<Double4>(place + place_size * i + 4);
        rows_->fetch_ends<place_size>(i + ElasticRows::fetched_ahead, place);
        Double4 other[3] = {Double4(0), Double4(0), Double4(0)};
        rows_->each_record<place_size>(i, place, [&](int l, const Real* from, const std::uint32_t* weight) {
            const Double4 d = (load_aligned<Double4>(from) - X) * ElasticRows::spread_weight_at<Double4>(weight);
            const Double4 e = load_aligned<Double4>(from + 4) - y;
            Double4(&into)[3] = l % 2 ? other : H;
            into[0] = fma(e, spread_lane<0>(d), into[0]);
            into[1] = fma(e, spread_lane<1>(d), into[1]);
            into[2] = fma(e, spread_lane<2>(d), into[2]);
        });
        for (int c = 0; c < 3; ++c) H[c] += other[c];
    }

    template <bool stabilised, class Finish>
    void gather_rows(Finish&& finish) const {
        using simd::fma, simd::load_aligned;
        const Real *place = this->place(), *stress = stress_data();
        parallel_for(rows_->size(), [&](std::size_t i) {
            const Real* own = stress + stress_size * i;
            const Double4 T[3] = {load_aligned<Double4>(own), load_aligned<Double4>(own + 4),
                                  load_aligned<Double4>(own + 8)};
            const Double4 X[3] = {spread_lane<3>(T[0]), spread_lane<3>(T[1]), spread_lane<3>(T[2])};
            const Double4 y = load_aligned<Double4>(place + place_size * i + 4), beta = spread_lane<3>(y);
            const std::size_t ahead = i + ElasticRows::fetched_ahead;
            rows_->fetch_ends<stress_size>(ahead, stress);
            rows_->fetch_ends<stress_size>(ahead, stress + 8);  // of two lines of the cache
            if constexpr (stabilised) rows_->fetch_ends<place_size>(ahead, place);
            Double4 even(0), odd(0);
            rows_->each_record<stress_size>(i, stress, [&](int l, const Real* from, const std::uint32_t* weight) {
                const Double4 t0 = load_aligned<Double4>(from), t1 = load_aligned<Double4>(from + 4);
                const Double4 t2 = load_aligned<Double4>(from + 8);
                Double4 sum = (t0 + T[0]) * (spread_lane<3>(t0) - X[0]);
                sum = fma(t1 + T[1], spread_lane<3>(t1) - X[1], sum);
                sum = fma(t2 + T[2], spread_lane<3>(t2) - X[2], sum);
                if constexpr (stabilised) {
                    const std::ptrdiff_t j = (from - stress) / std::ptrdiff_t(stress_size);
                    const Double4 e = load_aligned<Double4>(place + std::ptrdiff_t(place_size) * j + 4);
                    sum = fma(e - y, spread_lane<3>(e) + beta, sum);
                }
                Double4& into = l % 2 ? odd : even;
                into = fma(sum, ElasticRows::spread_weight_at<Double4>(weight), into);
            });
            const Double4 f = even + odd;
            finish(i, Vec3(f[0], f[1], f[2]));
        });
    }

    const ElasticRows* rows_ = nullptr;
    std::span<const Vec3> X_;
    std::span<const Real> beta_;
    std::span<const std::uint32_t> origin_;
    ElasticScratch* scratch_ = nullptr;
    bool is_stabilised_ = false;
};

}  // namespace pliant
