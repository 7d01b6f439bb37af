#include "pliant/methods/sph/keep_out.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

// In spacings.
constexpr Real near = 0.25;     // above the surface: nearer than this is nothing in ordinary contact
constexpr Real long_way = 0.5;  // that may lead through an obstacle which is thicker than a spacing
constexpr Real free_way = 1;    // of what sees no sample: all that are within two spacings would be seen
constexpr Real least_advance = 0.02, slack = 1e-6;
constexpr Real reached = 0.01;  // so near to the surface
constexpr int corner = 3;       // obstacles, or times that one stops a particle in a step
constexpr int most_rounds = 4;  // over all obstacles, where several meet

// The last point of a straight way, in the shape's own space, before it leads deeper than `floor`; the way's end if it
// never does. No point is nearer to the surface than the distance says: steps of that length miss nothing.
Vec3 last_allowed(const Shape& shape, const Vec3& from, const Vec3& to, Real floor, Real spacing) {
    const Real length = (to - from).norm();
    Real allowed = 0;
    for (Real at = 0; at < length;) {
        at += std::max(shape.distance(from + at / length * (to - from)) - floor, least_advance * spacing);
        if (at >= length) at = length;
        if (shape.distance(from + at / length * (to - from)) < floor) return from + allowed / length * (to - from);
        allowed = at;
    }
    return to;
}

}  // namespace

KeepOut::KeepOut(const Model& model, Real spacing)
    : model_(model), spacing_(spacing), obstacle_speed_(fastest_obstacle(model)) {}

std::vector<std::uint8_t> KeepOut::bodies_inside(const ParticleState& state, Real time) const {
    std::vector<std::uint8_t> inside(model_.bodies.size(), 0);
    for (const Collider& collider : model_.colliders) {
        const Placement place = collider.pose(time).placement;
        for (std::size_t i = 0; i < state.size(); ++i) {
            std::uint8_t& body = inside[state.body[i]];
            if (body == 0 && collider.shape().distance(place.to_local(state.position[i])) < 0) body = 1;
        }
    }
    return inside;
}

std::span<AccelerationLimit> KeepOut::limits(const ParticleState& state, const NearRows& rows, const Boundary& boundary,
                                             std::span<const ContactConstraints::Touch> touches, Real time, Real dt) {
    limits_.clear();
    if (boundary.size() == 0 || model_.colliders.empty()) return limits_;
    const auto poses = poses_of(model_.colliders, time, dt);
    const std::size_t n = state.size();
    found_.resize(block_count(n, default_block));
    parallel_blocks(n, default_block, [&](std::size_t begin, std::size_t end) {
        std::vector<AccelerationLimit>& found = found_[begin / default_block];
        found.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (state.pin[i] != no_pin || !rows.sees_samples(i)) continue;
            for (std::size_t c = 0; c < poses.size(); ++c) {
                const Vec3& x = state.position[i];
                const Vec3 local = poses[c].now.placement.to_local(x);
                const Real distance = model_.colliders[c].shape().distance(local);
                if (!(distance < near * spacing_)) continue;
                const Vec3 normal = model_.colliders[c].surface_at(x, poses[c].now).normal;
                const Vec3 carried = carried_velocity(x, poses[c].now, poses[c].next, dt);
                const Real room = std::max(Real(0), distance);
                const Real least = ((carried - state.velocity[i]).dot(normal) - room / dt) / dt;
                found.push_back({static_cast<std::uint32_t>(i), normal.cast<float>(), room < reached * spacing_,
                                 static_cast<float>(least)});
            }
        }
    });
    for (const auto& some : found_) limits_.insert(limits_.end(), some.begin(), some.end());
    if (touches.empty()) return limits_;
    for (const ContactConstraints::Touch& touch : touches) {
        const Real left = touch.bound - state.velocity[touch.particle].dot(touch.normal);
        limits_.push_back({touch.particle, touch.normal.cast<float>(), true, float(std::min(Real(0), left / dt))});
    }
    std::stable_sort(limits_.begin(), limits_.end(),
                     [](const AccelerationLimit& a, const AccelerationLimit& b) { return a.particle < b.particle; });
    return limits_;
}

void KeepOut::stop(ParticleState& state, const NearRows& rows, Real time, Real dt) const {
    if (model_.colliders.empty()) return;
    const auto poses = poses_of(model_.colliders, time, dt);
    parallel_for(state.size(), [&](std::size_t i) {
        Vec3& v = state.velocity[i];
        if (state.pin[i] != no_pin) return;
        if (!rows.sees_samples(i) && dt * (v.norm() + obstacle_speed_) < free_way * spacing_) return;
        v = stopped(v, state.position[i], poses, dt);
    });
}

Vec3 KeepOut::stopped(Vec3 v, const Vec3& x, std::span<const PosePair> poses, Real dt) const {
    int stops = 0;
    for (int round = 0; round < most_rounds; ++round) {
        bool changed = false;
        for (std::size_t c = 0; c < poses.size(); ++c) {
            // Seen from the obstacle, which moves as well.
            const Shape& shape = model_.colliders[c].shape();
            const Placement &now = poses[c].now.placement, &next = poses[c].next.placement;
            const Vec3 from = now.to_local(x), to = next.to_local(x + dt * v);
            const Real length = (to - from).norm(), end = shape.distance(to);
            if (end > length) continue;
            // What began deeper, because it was placed so, gets no deeper than it is.
            const Real floor = std::min(Real(0), shape.distance(from)), least = floor - slack * spacing_;
            if (end >= least && length < long_way * spacing_) continue;
            const Vec3 last = last_allowed(shape, from, to, least, spacing_);
            if (last == to) continue;
            // Along the surface it goes on, also where that bends towards it. In a corner, and between obstacles that
            // leave no such way, it stays where it is: what all slid into the corner would be in one place for ever.
            const Vec3 normal = shape.normal(last);
            Vec3 target = to + std::max(Real(0), (last - to).dot(normal)) * normal;
            target += std::max(Real(0), floor - shape.distance(target)) * shape.normal(target);
            if (shape.distance(target) < least) target = last;
            if (++stops >= corner || round == most_rounds - 1) target = from;
            v += (next.to_world(target) - next.to_world(to)) / dt;
            changed = true;
        }
        if (!changed) break;
    }
    return v;
}

}  // namespace pliant
