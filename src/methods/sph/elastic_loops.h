// The two loops over neighbours behind elastic forces, in single or double precision:
//     H_i = sum_j g_ij y_ij X_ij^T
//     f_i = sum_j g_ij ((T_i + T_j) X_ij + (beta_i + beta_j) y_ij)
// What turns H into T is the caller's. Both sides of a pair compute the same numbers with opposite signs.
// A particle's data lie together: (X, 0), (y, beta) for the first loop; (T_1, X_1), (T_2, X_2), (T_3, X_3), by columns
// of T, for the second.
#pragma once

#include <span>

#include "pliant/base/parallel.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/math/types.h"
#include "pliant/math/wide.h"
#include "pliant/methods/sph/quads.h"

namespace pliant {

// Pairs of particles at rest, row by row. Rows have a multiple of four entries: the last may be the particle itself
// with weight zero.
struct ElasticRows {
    RawVector<std::uint64_t> begin;  // one more than there are rows
    RawVector<std::uint32_t> index;  // j
    RawVector<float> weight;         // g_ij

    std::size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
    std::span<const std::uint32_t> indices(std::size_t i) const {
        return {index.data() + begin[i], index.data() + begin[i + 1]};
    }
    std::span<const float> weights(std::size_t i) const {
        return {weight.data() + begin[i], weight.data() + begin[i + 1]};
    }
    std::size_t bytes() const { return begin.capacity() * 8 + (index.capacity() + weight.capacity()) * 4; }
};

template <class P>
class ElasticLoops {
public:
    using Scalar = typename P::Scalar;
    static constexpr std::size_t width = P::width;

    // `origin`: for each particle the one that its positions are measured from, so that no digits are lost far away.
    void set_rest(const ElasticRows& rows, std::span<const Vec3> X, std::span<const Real> beta,
                  std::span<const std::uint32_t> origin) {
        rows_ = &rows;
        origin_ = origin;
        const std::size_t n = X.size();
        resize_discarding(place_, place_size * packs() * width);
        std::fill(place_.begin(), place_.end(), Scalar(0));
        is_stabilised_ = false;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 x = X[i] - X[origin[i]];
            for (std::size_t d = 0; d < 3; ++d) place_[place_size * i + d] = Scalar(x[Eigen::Index(d)]);
            place_[place_size * i + 7] = Scalar(beta[i]);
            is_stabilised_ |= beta[i] > 0;
        }
    }
    bool is_stabilised() const { return is_stabilised_; }
    std::size_t packs() const { return (rows_->size() + width - 1) / width; }

    void set_positions(std::span<const Vec3> y) {
        parallel_for(rows_->size(), [&](std::size_t i) {
            const Vec3 from = y[i] - y[origin_[i]];
            Scalar* to = &place_[place_size * i + 4];
            to[0] = Scalar(from.x()), to[1] = Scalar(from.y()), to[2] = Scalar(from.z());
        });
    }

    // H of the particles of a pack.
    WideMat3<P> moments(std::size_t pack) const {
        P sum[3][width];
        for (std::size_t l = 0; l < width; ++l) {
            const std::size_t i = width * pack + l;
            P H[3] = {P(0), P(0), P(0)};
            if (i < rows_->size()) sum_moment(i, H);
            for (int c = 0; c < 3; ++c) sum[c][l] = H[c];
        }
        WideMat3<P> wide;
        for (int c = 0; c < 3; ++c) {
            P out[4];
            transpose_sums<P>(sum[c], out);
            wide.column[c] = {out[0], out[1], out[2]};
        }
        return wide;
    }

    // T = stress(pack, H)
    template <class Stress>
    void stresses(Stress&& stress) {
        make_room();
        const auto stress_pack = [&](std::size_t k) {
            const WideMat3<P> T = stress(k, moments(k));
            P X[4];
            load_places(k, X);
            for (int c = 0; c < 3; ++c) {
                const auto& t = T.column[c];
                const P quad[4] = {t.x, t.y, t.z, X[c]};
                store_quads<P>(&stress_[stress_size * width * k + 4 * std::size_t(c)], stress_size, quad);
            }
        };
        parallel_for(packs(), stress_pack, 256 / width);
    }

    // T from elsewhere: stress(pack of four), in double precision.
    template <class Stress>
    void take_stresses(Stress&& stress) {
        make_room();
        const auto take_pack = [&](std::size_t k) {
            const WideMat3<Double4> T = stress(k);
            for (std::size_t l = 0; l < 4 && 4 * k + l < rows_->size(); ++l) {
                const std::size_t i = 4 * k + l;
                const int lane = static_cast<int>(l);
                for (std::size_t c = 0; c < 3; ++c) {
                    const auto& t = T.column[c];
                    Scalar* to = &stress_[stress_size * i + 4 * c];
                    to[0] = Scalar(t.x[lane]), to[1] = Scalar(t.y[lane]), to[2] = Scalar(t.z[lane]);
                    to[3] = place_[place_size * i + c];
                }
            }
        };
        parallel_for((rows_->size() + 3) / 4, take_pack, 64);
    }

    // finish(i, f_i)
    template <class Finish>
    void gather(Finish&& finish) const {
        is_stabilised_ ? gather_rows<true>(finish) : gather_rows<false>(finish);
    }

    std::size_t bytes() const { return (place_.capacity() + stress_.capacity()) * sizeof(Scalar); }

private:
    static constexpr std::size_t place_size = 8, stress_size = 12;

    void make_room() {
        if (stress_.size() == stress_size * packs() * width) return;
        resize_discarding(stress_, stress_size * packs() * width);
        std::fill(stress_.begin(), stress_.end(), Scalar(0));
    }

    void load_places(std::size_t pack, P (&X)[4]) const {
        P quad[width];
        for (std::size_t l = 0; l < width; ++l) {
            const Scalar* from = &place_[place_size * (width * pack + l)];
            if constexpr (width == 4) {
                quad[l] = simd::load_aligned<P>(from);
            } else {  // the halves are added up: nothing in the second
                quad[l] = P(0);
                for (int d = 0; d < 3; ++d) quad[l].v[d] = from[d];
            }
        }
        transpose_sums<P>(quad, X);
    }

    [[gnu::always_inline]] void sum_moment(std::size_t i, P (&H)[3]) const {
        using simd::fma;
        const Scalar* place = place_.data();
        const P X = repeat_quad<P>(place + place_size * i), y = repeat_quad<P>(place + place_size * i + 4);
        const std::uint32_t* index = rows_->index.data();
        const float* weight = rows_->weight.data();
        P other[3] = {P(0), P(0), P(0)};
        const auto add = [&](P g, std::uint32_t a, std::uint32_t b, P(&into)[3]) {
            const P d = (load_quads<P>(place, place_size, a, b) - X) * g;
            const P e = load_quads<P>(place + 4, place_size, a, b) - y;
            into[0] = fma(e, spread_lane<0>(d), into[0]);
            into[1] = fma(e, spread_lane<1>(d), into[1]);
            into[2] = fma(e, spread_lane<2>(d), into[2]);
        };
        const std::size_t end = rows_->begin[i + 1];
        for (std::size_t k = rows_->begin[i]; k < end; k += 4) {
            each_of_four<P>(weight + k, index + k, [&](P g, std::uint32_t a, std::uint32_t b, bool is_odd) {
                add(g, a, b, is_odd ? other : H);
            });
        }
        for (int c = 0; c < 3; ++c) H[c] += other[c];
    }

    template <bool stabilised, class Finish>
    void gather_rows(Finish&& finish) const {
        using simd::fma;
        const Scalar* place = place_.data();
        const Scalar* stress = stress_.data();
        const std::uint32_t* index = rows_->index.data();
        const float* weight = rows_->weight.data();
        parallel_for(rows_->size(), [&](std::size_t i) {
            const Scalar* own = stress + stress_size * i;
            const P T[3] = {repeat_quad<P>(own), repeat_quad<P>(own + 4), repeat_quad<P>(own + 8)};
            const P X[3] = {spread_lane<3>(T[0]), spread_lane<3>(T[1]), spread_lane<3>(T[2])};
            const P y = repeat_quad<P>(place + place_size * i + 4), beta = spread_lane<3>(y);
            P even(0), odd(0);
            const auto add = [&](P g, std::uint32_t a, std::uint32_t b, P& into) {
                const P t0 = load_quads<P>(stress, stress_size, a, b);
                const P t1 = load_quads<P>(stress + 4, stress_size, a, b);
                const P t2 = load_quads<P>(stress + 8, stress_size, a, b);
                P sum = (t0 + T[0]) * (spread_lane<3>(t0) - X[0]);
                sum = fma(t1 + T[1], spread_lane<3>(t1) - X[1], sum);
                sum = fma(t2 + T[2], spread_lane<3>(t2) - X[2], sum);
                if constexpr (stabilised) {
                    const P e = load_quads<P>(place + 4, place_size, a, b);
                    sum = fma(e - y, spread_lane<3>(e) + beta, sum);
                }
                into = fma(sum, g, into);
            };
            const std::size_t end = rows_->begin[i + 1];
            for (std::size_t k = rows_->begin[i]; k < end; k += 4) {
                each_of_four<P>(weight + k, index + k, [&](P g, std::uint32_t a, std::uint32_t b, bool is_odd) {
                    add(g, a, b, is_odd ? odd : even);
                });
            }
            const P f = sum_quads<P>(even + odd);
            finish(i, Vec3(f[0], f[1], f[2]));
        });
    }

    const ElasticRows* rows_ = nullptr;
    std::span<const std::uint32_t> origin_;
    RawVector<Scalar> place_, stress_;
    bool is_stabilised_ = false;
};

}  // namespace pliant
