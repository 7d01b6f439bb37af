#include "pliant/methods/sph/near_rows.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/math/kernels.h"
#include "pliant/math/wide.h"
#include "pliant/methods/sph/pack_lanes.h"

namespace pliant {
namespace {

constexpr Real margin_of_support = 0.1, reach_of_support = 0.9;
constexpr Real rounding_of_support = 1e-3;  // what is near is told in single precision
// Of 1 - r / H: nearer to its edge the kernel is nothing, and its square a number that is slow to work with.
constexpr float edge = 1e-4f;
constexpr int few_steps = 3;         // a margin that does not last so many is not worth it,
constexpr int try_again_after = 10;  // for so many searches

// A sum of numbers below 100, to 24 bits behind the point, that is the same in any order: whatever else was a
// candidate, and in which lane a number stood.
class ExactSum {
public:
    void add(Float8 v) {
#if defined(__AVX2__)
        const __m256i whole = _mm256_cvtps_epi32((v * Float8(one)).v);
        low_ = _mm256_add_epi64(low_, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(whole)));
        high_ = _mm256_add_epi64(high_, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(whole, 1)));
#else
        for (int l = 0; l < 8; ++l) sum_ += std::lrint(v[l] * one);
#endif
    }
    double total() const {
#if defined(__AVX2__)
        typedef long long Numbers __attribute__((vector_size(32)));
        const Numbers both = (Numbers)_mm256_add_epi64(low_, high_);
        return double(both[0] + both[1] + both[2] + both[3]) / one;
#else
        return double(sum_) / one;
#endif
    }

private:
    static constexpr float one = 1 << 24;
#if defined(__AVX2__)
    __m256i low_ = _mm256_setzero_si256(), high_ = _mm256_setzero_si256();
#else
    long long sum_ = 0;
#endif
};

}  // namespace

NearRows::NearRows(Real spacing, Real support) : support_(support), served_(few_steps) {
    Real sum = 0;
    const int reach = static_cast<int>(std::ceil(support / spacing));
    for (int x = -reach; x <= reach; ++x) {
        for (int y = -reach; y <= reach; ++y) {
            for (int z = -reach; z <= reach; ++z) {
                sum += WendlandC2Kernel::value(spacing * std::sqrt(Real(x * x + y * y + z * z)), support);
            }
        }
    }
    scale_ = 1 / (cube(spacing) * sum);
}

bool NearRows::candidates_serve(const ParticleState& state, const Boundary& boundary, Real time) {
    if (candidates_.size() != state.size() + boundary.size()) return false;
    Box near = bounds(state);
    if (!near.isEmpty()) near = Box(near.min().array() - support_, near.max().array() + support_);
    return watch_.serves(state.position, boundary.position(), boundary.moved(near, time));
}

// Whether there is a margin changes how soon is searched again, and nothing else.
void NearRows::search(const ParticleState& state, Boundary& boundary, Real time, Real dt) {
    if (without_ > 0) {
        --without_;
    } else if (served_ < few_steps) {
        without_ = try_again_after;
    }
    served_ = 0;
    const bool has_margin = without_ == 0;
    const Real margin = (has_margin ? margin_of_support : rounding_of_support) * support_;
    const Real reach = has_margin ? reach_of_support * support_ : 0;
    boundary.choose(state, time, support_ + margin + reach);
    boundary.move(time, dt);
    std::vector<Vec3> points;
    points.reserve(state.size() + boundary.size());
    points.assign(state.position.begin(), state.position.end());
    points.insert(points.end(), boundary.position().begin(), boundary.position().end());
    search_.find(points, support_ + margin, candidates_);
    has_margin
        ? watch_.begin(points, (1 + rounding_of_support) * support_, margin - rounding_of_support * support_, reach)
        : watch_.end();
}

void NearRows::update(const ParticleState& state, Boundary& boundary, Real time, Real dt) {
    const std::size_t n = state.size();
    boundary.move(time, dt);
    if (!candidates_serve(state, boundary, time)) search(state, boundary, time, dt);
    ++served_;
    samples_ = boundary.size();
    const Box box = bounds(state);
    const Vec3 middle = box.isEmpty() ? Vec3(Vec3::Zero()) : Vec3(box.center());
    resize_discarding(place_, 4 * (n + samples_));
    parallel_for(n + samples_, [&](std::size_t i) {
        const Vec3 x = (i < n ? state.position[i] : boundary.position()[i - n]) - middle;
        const Real V = i < n ? state.rest_volume[i] : boundary.volume(i - n);
        float* to = &place_[4 * i];
        to[0] = float(x.x()), to[1] = float(x.y()), to[2] = float(x.z()), to[3] = float(V);
    });
    const std::size_t room = n > 0 ? begin(n - 1) + candidates_[n - 1].size() + 8 : 0;
    resize_discarding(index_, room);
    resize_discarding(slope_, room);
    count_.resize(n);
    density_.resize(n);
    parallel_for(n, [&](std::size_t i) { keep_near(i); });
}

// Those within the support, one behind the other, and the sum of their W.
void NearRows::keep_near(std::size_t i) {
    using namespace simd;
    const auto candidates = candidates_[i];
    const float H = float(support_), reciprocal = 1 / H;
    const float* place = place_.data();
    const Float8 x(place[4 * i]), y(place[4 * i + 1]), z(place[4 * i + 2]);
    // W = w u^4 (5 - 4 u),   W' / r = -d u^3
    const Real w = scale_ * 21 / (2 * pi) / cube(support_), d = scale_ * 210 / pi / (cube(support_) * square(support_));
    const Float8 value(static_cast<float>(w)), steepness(static_cast<float>(-d));
    std::uint32_t* index = &index_[begin(i)];
    float* slope = &slope_[begin(i)];
    ExactSum sum;
    int kept = 0;
    for (std::size_t first = 0; first < candidates.size(); first += 8) {
        const int many = static_cast<int>(std::min<std::size_t>(8, candidates.size() - first));
        std::uint32_t some[8];
        const std::uint32_t* j = &candidates[first];
        if (many < 8) {
            for (int l = 0; l < 8; ++l) some[l] = l < many ? j[l] : std::uint32_t(i);
            j = some;
        }
        Float8 q[4];
        gather_quads(place, 4, j, q);
        const Float8 dx = x - q[0], dy = y - q[1], dz = z - q[2];
        const Float8 r = sqrt(fma(dx, dx, fma(dy, dy, dz * dz)));
        const Float8 u = max(fnma(r, Float8(reciprocal), Float8(1.0f)), Float8(0.0f));
        const Float8 u3 = u * u * u, V = q[3];
        const Float8 W = value * V * (u3 * u) * fnma(u, Float8(4.0f), Float8(5.0f)), S = steepness * V * u3;
        const auto is_near = (u > Float8(edge)) & first_lanes<Float8>(many);
        const PackedLanes near = pack_lanes(is_near);
        near.store(index + kept, j);
        near.store(slope + kept, S);
        sum.add(keep(is_near, W));
        kept += near.count();
    }
    if (kept % 2) {
        index[kept] = std::uint32_t(i);
        slope[kept++] = 0;
    }
    count_[i] = static_cast<std::uint32_t>(kept);
    density_[i] = static_cast<float>(w * place[4 * i + 3] + sum.total());
}

Real NearRows::average_count() const {
    const std::size_t n = particles();
    return n == 0
               ? 0
               : Real(parallel_sum(n, std::size_t(0), [&](std::size_t i) { return std::size_t(count_[i]); })) / Real(n);
}

std::size_t NearRows::bytes() const {
    return search_.memory() + candidates_.memory() + watch_.bytes() +
           (place_.capacity() + index_.capacity() + slope_.capacity() + count_.capacity() + density_.capacity()) * 4;
}

}  // namespace pliant
