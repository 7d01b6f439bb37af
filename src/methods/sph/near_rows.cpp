#include "pliant/methods/sph/near_rows.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/math/kernels.h"
#include "pliant/math/wide.h"

namespace pliant {
namespace {

constexpr Real margin_of_support = 0.1, reach_of_support = 0.9;
constexpr Real rounding_of_support = 1e-3;  // what is near is told in single precision
constexpr int few_steps = 3;                // a margin that does not last so many is not worth it,
constexpr int try_again_after = 10;         // for so many searches

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

void NearRows::keep_near(std::size_t i) {
    using namespace simd;
    const auto candidates = candidates_[i];
    const float H = float(support_), reciprocal = 1 / H;
    const float* place = place_.data();
    const Float8 x(place[4 * i]), y(place[4 * i + 1]), z(place[4 * i + 2]);
    // W = w u^4 (5 - 4 u),   W' / r = -d u^3
    const Real w = scale_ * 21 / (2 * pi) / cube(support_), d = scale_ * 210 / pi / (cube(support_) * square(support_));
    const Float8 value(static_cast<float>(w)), steepness(static_cast<float>(-d));
    double sum = w * place[4 * i + 3];
    std::size_t at = begin(i);
    for (std::size_t first = 0; first < candidates.size(); first += 8) {
        const int many = static_cast<int>(std::min<std::size_t>(8, candidates.size() - first));
        std::uint32_t j[8];
        for (int l = 0; l < 8; ++l) j[l] = l < many ? candidates[first + std::size_t(l)] : std::uint32_t(i);
        Float8 q[4];
        gather_quads(place, 4, j, q);
        const Float8 dx = x - q[0], dy = y - q[1], dz = z - q[2];
        const Float8 r = sqrt(fma(dx, dx, fma(dy, dy, dz * dz)));
        const Float8 u = max(fnma(r, Float8(reciprocal), Float8(1.0f)), Float8(0.0f));
        const Float8 u3 = u * u * u, V = q[3];
        const Float8 W = value * V * (u3 * u) * fnma(u, Float8(4.0f), Float8(5.0f)), S = steepness * V * u3;
        float W_of[8], S_of[8];
        store(W_of, W);
        store(S_of, S);
        for (int l = 0; l < many; ++l) {
            index_[at] = j[l];
            slope_[at] = S_of[l];
            const bool is_near = S_of[l] < 0;
            sum += is_near ? double(W_of[l]) : 0.0;
            at += is_near;
        }
    }
    if ((at - begin(i)) % 2) {
        index_[at] = std::uint32_t(i);
        slope_[at++] = 0;
    }
    count_[i] = static_cast<std::uint32_t>(at - begin(i));
    density_[i] = static_cast<float>(sum);
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
