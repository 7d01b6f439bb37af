#include "pliant/methods/sph/rough_loops.h"

#include <algorithm>

namespace pliant {

void RoughLoops::set_rest(const ElasticRows& rows, std::span<const Vec3> rest, std::span<const Real> beta,
                          std::span<const BodyRange> bodies, std::span<const std::uint32_t> origin,
                          ElasticScratch& scratch) {
    rows_ = &rows;
    origin_ = origin;
    scratch_ = &scratch;
    const std::size_t n = rest.size();
    constants_.assign(packs(), Constants{});
    is_stabilised_ = std::any_of(beta.begin(), beta.end(), [](Real b) { return b > 0; });
    reach_ = 0;
    for (const BodyRange& body : bodies) {
        Box box;
        for (std::size_t i = body.first; i < std::min(body.last, n); ++i) box.extend(rest[i]);
        for (std::size_t i = body.first; i < std::min(body.last, n); ++i) {
            const Vec3 from_middle = rest[i] - box.center();
            reach_ = std::max(reach_, from_middle.norm());
            for (std::size_t d = 0; d < 3; ++d) constants_[i / 8].X[d][i % 8] = float(from_middle[Eigen::Index(d)]);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        Constants& to = constants_[i / 8];
        const int lane = static_cast<int>(i % 8);
        Vec3 a = Vec3::Zero();
        Real sum = 0, sum_beta = 0;
        // Differences of the rounded places: where all of a body moves alike, nothing must be left.
        const auto X_of = [&](std::size_t k) { return Vec3(X(k, 0), X(k, 1), X(k, 2)); };
        rows.each(i, [&](std::uint32_t j, Real g) {
            a += g * (X_of(j) - X_of(i));
            sum += g;
            sum_beta += g * beta[j];
        });
        to.a.x.set(lane, float(a.x())), to.a.y.set(lane, float(a.y())), to.a.z.set(lane, float(a.z()));
        to.beta.set(lane, float(beta[i]));
        to.sum.set(lane, float(sum));
        to.sum_beta.set(lane, float(sum_beta));
    }
}

void RoughLoops::set_positions(std::span<const Vec3> y) {
    const auto load = [&](std::size_t i) -> Double4 {  // the last number is anything
        if (i + 1 < y.size()) return simd::load<Double4>(y[i].data());
        return Double4(Double4::Vector{y[i].x(), y[i].y(), y[i].z(), 0});
    };
    parallel_for(y.size(), [&](std::size_t i) {
#if defined(__AVX2__)
        const Quad from = _mm256_cvtpd_ps((load(i) - load(origin_[i])).v);
#else
        const Quad from = __builtin_convertvector((load(i) - load(origin_[i])).v, Quad);
#endif
        const Float8 both(__builtin_shufflevector(from, from, 0, 1, 2, 3, 0, 1, 2, 3));
        simd::store_aligned(position() + line * i, both * in_quads(X(i, 0), X(i, 1)));
        simd::store_aligned(position() + line * i + 8, both * in_quads(X(i, 2), 1));
    });
}

WideMat3<Float8> RoughLoops::moments(std::size_t pack, WideVec3<Float8>& y, WideVec3<Float8>& sum_y) const {
    using simd::fnma;
    Float8 low[8], high[8], own[8];
    for (std::size_t l = 0; l < 8; ++l) {
        const std::size_t i = 8 * pack + l;
        Line sums = {Float8(0.0f), Float8(0.0f)};
        if (i < rows_->size()) sums = sum_row(i, position());
        low[l] = sums.low, high[l] = sums.high;
        own[l] = simd::load_aligned<Float8>(position() + line * i + 8);
    }
    transpose_square(low);
    transpose_square(high);
    transpose_square(own);
    y = {own[4], own[5], own[6]};
    sum_y = {high[4], high[5], high[6]};
    const Constants& c = constants_[pack];
    const WideVec3<Float8> place = c.wide_X();
    const auto column = [&](const Float8* sum, Float8 X, Float8 a) {
        return WideVec3<Float8>{fnma(y.x, a, fnma(sum_y.x, X, sum[0])), fnma(y.y, a, fnma(sum_y.y, X, sum[1])),
                                fnma(y.z, a, fnma(sum_y.z, X, sum[2]))};
    };
    return {{column(low, place.x, c.a.x), column(low + 4, place.y, c.a.y), column(high, place.z, c.a.z)}};
}

void RoughLoops::take_stress(std::size_t pack, const WideMat3<Float8>& T, const WideVec3<Float8>& y,
                             const WideVec3<Float8>& sum_y) {
    const Constants& c = constants_[pack];
    const WideVec3<Float8> TX = T * c.wide_X(), by = y * c.beta;
    const auto& t = T.column;
    Float8 low[8] = {t[0].x, t[0].y, t[0].z, by.x, t[1].x, t[1].y, t[1].z, by.y};
    Float8 high[8] = {t[2].x, t[2].y, t[2].z, by.z, TX.x, TX.y, TX.z, Float8(0.0f)};
    const WideVec3<Float8> own = T * c.a + (sum_y - y * c.sum) * c.beta - y * c.sum_beta;
    Float8 rest[8] = {own.x, own.y, own.z, Float8(0.0f), Float8(0.0f), Float8(0.0f), Float8(0.0f), Float8(0.0f)};
    transpose_square(low);
    transpose_square(high);
    transpose_square(rest);
    for (std::size_t l = 0; l < 8; ++l) {
        float* to = stress() + line * (8 * pack + l);
        simd::store_aligned(to, low[l]);
        simd::store_aligned(to + 8, high[l]);
        for (int d = 0; d < 4; ++d) this->own()[4 * (8 * pack + l) + std::size_t(d)] = rest[l][d];
    }
}

std::size_t RoughLoops::bytes() const {
    return constants_.capacity() * sizeof(Constants);
}

}  // namespace pliant
