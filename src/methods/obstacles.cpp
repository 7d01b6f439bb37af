#include "pliant/methods/obstacles.h"

#include "pliant/base/parallel.h"

namespace pliant {

std::optional<Approach> approach(const Collider& collider, const PosePair& pose, Real radius, const Vec3& x,
                                 const Vec3& v, Real dt) {
    const bool is_still = collider.motion().is_still();
    const Vec3 moved = x + dt * v;
    const Vec3 carried = is_still ? Vec3(Vec3::Zero()) : carried_velocity(x, pose.now, pose.next, dt);
    // Far from the end of the step nothing happened on the way; one distance is enough to know.
    const Real reach = radius + dt * (v.norm() + carried.norm());
    if (collider.shape().distance(pose.next.placement.to_local(moved)) > 1.01 * reach) return std::nullopt;

    Approach result{collider.surface_at(x, pose.now), collider.surface_at(moved, pose.next)};
    result.next.velocity = carried;
    return result;
}

std::size_t apply_obstacles(const Model& model, ParticleState& state, Real time, Real dt) {
    const auto collider_poses = poses_of(model.colliders, time, dt);
    const auto pin_poses = poses_of(model.pins, time, dt);
    return parallel_sum(state.size(), std::size_t(0), [&](std::size_t i) -> std::size_t {
        if (state.pin[i] != no_pin) {
            const PosePair& pose = pin_poses[static_cast<std::size_t>(state.pin[i])];
            state.velocity[i] = carried_velocity(state.position[i], pose.now, pose.next, dt);
            return 0;
        }
        const Real radius = model.bodies[state.body[i]].spacing / 2;
        bool touched = false;
        for (std::size_t c = 0; c < model.colliders.size(); ++c) {
            const Collider& collider = model.colliders[c];
            Vec3& v = state.velocity[i];
            const auto near = approach(collider, collider_poses[c], radius, state.position[i], v, dt);
            if (!near) continue;
            const ContactResult result = resolve_contact(collider.rule(), near->now, near->next, radius, v, dt);
            v = result.velocity;
            touched |= result.touched;
        }
        return touched;
    });
}

Real fastest_obstacle(const Model& model) {
    Real speed = 0;
    for (const Collider& collider : model.colliders) {
        const Shape& shape = collider.shape();
        const Real reach =
            shape.is_bounded() ? shape.bounds().min().cwiseAbs().cwiseMax(shape.bounds().max()).norm() : 0;
        speed = std::max(speed, collider.motion().largest_speed(reach));
    }
    return speed;
}

}  // namespace pliant
