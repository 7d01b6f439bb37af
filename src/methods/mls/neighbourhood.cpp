#include "pliant/methods/mls/neighbourhood.h"

#include "pliant/base/parallel.h"
#include "pliant/math/wide.h"

namespace pliant {
namespace {

constexpr Real margin_in_supports = 0.12;  // measured best between searching often and filtering much

}  // namespace

Neighbourhood::Neighbourhood(const Model& model, Real support_in_spacings, KernelKind kernel)
    : model_(model), support_(support_in_spacings), kernel_(kernel) {}

void Neighbourhood::update(const ParticleState& state) {
    if (bodies_.empty()) bodies_ = body_ranges(state, model_.bodies.size());
    resize_discarding(place_, state.size());
    parallel_for(state.size(), [&](std::size_t i) {
        const Vec3& q = state.position[i];
        place_[i] = Double4(Double4::Vector{q.x(), q.y(), q.z(), state.mass[i]});
    });
    if (!candidates_still_serve(state)) search(state);
    with_kernel(kernel_, [&]<class Kernel>(Kernel) { keep_neighbours<Kernel>(); });
}

// The mean motion of a body brings no particle closer to another.
bool Neighbourhood::candidates_still_serve(const ParticleState& state) const {
    if (searched_at_.size() != state.size()) return false;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const BodyRange& range = bodies_[b];
        const std::size_t count = range.size();
        if (count == 0) continue;
        const auto moved = [&](std::size_t k) -> Vec3 {
            return state.position[range.first + k] - searched_at_[range.first + k];
        };
        const Vec3 mean = parallel_sum(count, Vec3(Vec3::Zero()), moved) / Real(count);
        const Real farthest = parallel_max(count, 0.0, [&](std::size_t k) { return (moved(k) - mean).squaredNorm(); });
        if (!(farthest < square(0.5 * margin_in_supports * support(b)))) return false;
    }
    return true;
}

void Neighbourhood::search(const ParticleState& state) {
    candidates_.resize(bodies_.size());
    resize_discarding(row_begin_, state.size() + 1);
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const BodyRange& range = bodies_[b];
        const std::size_t count = range.size();
        if (count == 0) continue;
        search_.find(std::span(state.position).subspan(range.first, count), (1 + margin_in_supports) * support(b),
                     candidates_[b]);
        parallel_for(count, [&](std::size_t k) { row_begin_[range.first + k] = total + candidates_[b].offsets[k]; });
        total += candidates_[b].indices.size();
    }
    row_begin_[state.size()] = total;
    resize_discarding(row_count_, state.size());
    resize_discarding(index_, total);
    resize_discarding(weight_, total);
    resize_discarding(slope_, total);
    searched_at_ = state.position;
}

template <class Kernel>
void Neighbourhood::keep_neighbours() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const BodyRange range = bodies_[b];
        const Double4 H(support(b));
        const Real reach = square(support(b));
        parallel_for(range.size(), [&](std::size_t k) {
            const std::size_t i = range.first + k;
            const auto candidates = candidates_[b][k];
            const Double4* body = &place_[range.first];
            const Double4 here = place_[i];
            std::size_t out = row_begin_[i];
            for (std::size_t c = 0; c < candidates.size(); c += 4) {
                const int lanes = static_cast<int>(std::min<std::size_t>(4, candidates.size() - c));
                Double4 q[4];
                for (int l = 0; l < 4; ++l) q[l] = body[candidates[c + std::size_t(std::min(l, lanes - 1))]] - here;
                transpose_square(q);
                const Double4 r2 = simd::fma(q[0], q[0], simd::fma(q[1], q[1], q[2] * q[2]));
                const Double4 r = simd::sqrt(r2);
                const Double4 weight = Kernel::value(r, H);
                const Double4 slope = simd::select(r2 > Double4(0), -Kernel::derivative(r, H) / r, Double4(0));
                for (int l = 0; l < lanes; ++l) {  // a branch would be guessed wrong too often
                    index_[out] = static_cast<std::uint32_t>(range.first) + candidates[c + std::size_t(l)];
                    weight_[out] = weight[l];
                    slope_[out] = slope[l];
                    out += r2[l] < reach;
                }
            }
            row_count_[i] = static_cast<std::uint32_t>(out - row_begin_[i]);
        });
    }
}

Real Neighbourhood::average_count() const {
    if (row_count_.empty()) return 0;
    return Real(parallel_sum(row_count_.size(), std::uint64_t(0),
                             [&](std::size_t i) -> std::uint64_t { return row_count_[i]; })) /
           Real(row_count_.size());
}

std::size_t Neighbourhood::bytes() const {
    std::size_t total = search_.memory() + searched_at_.capacity() * sizeof(Vec3) + place_.capacity() * sizeof(Double4);
    for (const NeighbourLists& lists : candidates_) total += lists.memory();
    return total + row_begin_.capacity() * 8 + row_count_.capacity() * 4 + index_.capacity() * 4 +
           8 * (weight_.capacity() + slope_.capacity());
}

}  // namespace pliant
