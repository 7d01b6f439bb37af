#include "pliant/methods/oriented/mueller2011.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/rotation_vector.h"
#include "pliant/methods/oriented/plastic_shapes.h"

namespace pliant {
namespace {

constexpr std::size_t particles_a_cluster = 256;  // at least, if there are as many
constexpr Real largest_turn = pi / 2;             // rad, of a piece in a step; a faster one is braked

std::vector<Cluster> clusters_of(const std::vector<BodyRange>& bodies) {
    std::vector<Cluster> clusters;
    for (const BodyRange& body : bodies) {
        if (body.size() == 0) continue;
        const auto first = static_cast<std::uint32_t>(body.first), last = static_cast<std::uint32_t>(body.last);
        if (clusters.empty() || clusters.back().last - clusters.back().first >= particles_a_cluster) {
            clusters.push_back({first, last});
        } else {
            clusters.back().last = last;
        }
    }
    return clusters;
}

Turn to_turn(const Quat& q) {
    return {float(q.w()), float(q.x()), float(q.y()), float(q.z())};
}
// Of unit length: that of a turn is 1 but for rounding, so that one step of Newton's method finds 1 / |q|.
Quat to_quat(const Turn& t) {
    Quat q(t.w, t.x, t.y, t.z);
    q.coeffs() *= 1.5 - 0.5 * q.squaredNorm();
    return q;
}
Eigen::Matrix3f shape_of(const Quat& q, const Vec3& radii) {
    const Eigen::Matrix3f axes = q.cast<float>().toRotationMatrix() * radii.cast<float>().asDiagonal();
    return axes * axes.transpose();
}
// Of an ellipsoid on a plane across u: pi sqrt(u.adj(S) u) [m^2].
Real shadow_area(const Eigen::Matrix3f& shape, const Vec3& u) {
    const Mat3 S = shape.cast<Real>();
    Mat3 adjugate;
    for (int c = 0; c < 3; ++c) adjugate.col(c) = S.col((c + 1) % 3).cross(S.col((c + 2) % 3));
    const Real length2 = u.squaredNorm();
    return length2 > 0 ? pi * std::sqrt(std::max(Real(0), u.dot(adjugate * u) / length2)) : 0;
}
// exp(w) q; cosine and sine by their series for half an angle below 0.05, exact there.
Turn turned(const Turn& q, const Eigen::Vector3f& w) {
    const float half2 = w.squaredNorm() / 4;
    if (half2 > 2.5e-3f) {
        return to_turn(rotation_from_vector(w.cast<Real>()) * Quat(q.w, q.x, q.y, q.z));
    }
    const float c = 1 - half2 / 2 * (1 - half2 / 12), s = 0.5f * (1 - half2 / 6 * (1 - half2 / 20));
    const float x = s * w.x(), y = s * w.y(), z = s * w.z();
    return {c * q.w - x * q.x - y * q.y - z * q.z, c * q.x + x * q.w + y * q.z - z * q.y,
            c * q.y + y * q.w + z * q.x - x * q.z, c * q.z + z * q.w + x * q.y - y * q.x};
}
bool is_same(const Turn& a, const Turn& b) {
    return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

void Mueller2011::prepare(const ParticleState& state) {
    rest_ = make_rest_pose(state, model_);
    for (Link& link : rest_.links) {
        link.torsion = std::max(link.torsion, float(settings_.torsion));
        link.stretch = std::max(link.stretch, float(settings_.stretch));
    }
    const std::size_t n = rest_.size();
    clusters_ = clusters_of(rest_.bodies);
    group_begin_ = {0};
    for (const Cluster& cluster : clusters_) {
        std::uint32_t g = group_begin_.back();
        while (g < rest_.groups.size() && rest_.groups[g].particles.front() < cluster.last) ++g;
        group_begin_.push_back(g);
    }
    body_.assign(n, 0);
    is_lone_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        body_[i] = state.body[i];
        is_lone_[i] = rest_.neighbours(i).empty();
    }
    for (const RigidGroup& group : rest_.groups) {
        for (const std::uint32_t i : group.particles) is_lone_[i] = 0;
    }
    soft_for_.assign(rest_.groups.size(), 0);
    working_.particle.resize(n, WorkingParticle{});
    working_.turn.resize(n, Turn{});
    groups_.set_groups(rest_, clusters_, working_);
    links_.set(rest_, clusters_, working_);
    for (auto* array : {&move_, &turning_}) array->resize(n);
    for (auto* array : {&start_, &predicted_}) array->resize(n);
    for (auto* array : {&start_turn_, &predicted_turn_}) array->resize(n);
    shape_.assign(n, Eigen::Matrix3f::Zero());
    now_.resize(n);
    pairs_.set_rest(rest_, settings_.self_collision);  // as the rig was made: who may touch does not change with dents
    pins_changed(state);
}

void Mueller2011::pins_changed(const ParticleState& state) {
    take_pins(state);
    take_rest();
}

void Mueller2011::take_pins(const ParticleState& state) {
    held_.assign(rest_.size(), 0);
    body_is_held_.assign(rest_.bodies.size(), 0);
    for (std::size_t i = 0; i < rest_.size(); ++i) {
        held_[i] = state.pin[i] != no_pin;
        body_is_held_[state.body[i]] |= held_[i];
    }
    pieces_ = moving_pieces(rest_, state);
    inverse_inertia_.assign(rest_.size(), Eigen::Matrix3f::Zero());  // what is held does not turn by contact
}

// After rest shapes were set or have changed.
void Mueller2011::take_rest() {
    const std::size_t n = rest_.size();
    working_.rest_moment.assign(n, {});
    for (std::size_t i = 0; i < n; ++i) {
        working_.particle[i].inverse_mass = held_[i] ? 0 : float(1 / rest_.mass[i]);
        if (rest_.is_joint[i]) continue;
        working_.rest_moment[i] = moment_at_rest(rest_.mass[i], rest_.shape(i));
    }
    std::vector<Real> share, young_volume;
    for (std::size_t b = 0; b < rest_.bodies.size(); ++b) {
        const Material& material = model_.material_of(b);
        for (std::size_t i = rest_.bodies[b].first; i < rest_.bodies[b].last; ++i) {
            if (settings_.stiffness) share.push_back(*settings_.stiffness * rest_.stiffness[i]);
            const Real volume = rest_.mass[i] / material.density;
            young_volume.push_back(material.moduli.young() * volume * rest_.stiffness[i]);
        }
    }
    groups_.set_rest(rest_, held_, young_volume, share);
    rigid_.set_rest(rest_, held_);
    links_.set_rest(rest_);
}

StepReport Mueller2011::step(ParticleState& state, Real time, Real dt) {
    StepReport report;
    {
        const auto phase = timers.phase("prediction");
        predict(state, time, dt);
        fill_working(state, dt);
    }
    {
        const auto phase = timers.phase("contact");
        pairs_.find(state.position, move_, shape_, origin_, dt, model_.body_friction);
        obstacles_.find(model_, state, move_, shape_, origin_, time, dt);
        pairs_.begin(working_, contact_bodies());
        obstacles_.begin(working_, contact_bodies());
    }
    {
        const auto phase = timers.phase("solve");
        groups_.begin_step(dt);
        for (int k = 0; k < settings_.iterations; ++k) {
            sweep_bodies(k % 2 == 1);
            pairs_.sweep(working_, contact_bodies());
            obstacles_.sweep(working_, contact_bodies());
        }
    }
    const auto phase = timers.phase("integration");
    find_drift();
    finish(state, dt);
    deform_for_good(state, dt, report);
    report.contacts = obstacles_.touching();
    report.neighbours = rest_.size() ? Real(rest_.neighbour.size()) / Real(rest_.size()) : 0;
    return report;
}

// Velocities with gravity and damping, and where they lead.
void Mueller2011::predict(ParticleState& state, Real time, Real dt) {
    const auto pins = poses_of(model_.pins, time, dt);
    std::vector<Vec3> pin_spin;
    for (const PosePair& pin : pins) {
        const Quat turn = pin.next.placement.rotation * pin.now.placement.rotation.conjugate();
        pin_spin.push_back(vector_from_rotation(turn) / dt);
    }
    std::vector<FieldSettings> fields = model_.fields;  // as they flow now
    for (FieldSettings& field : fields) {
        field.velocity = field.flow(time);
        field.sway = Vec3::Zero();
    }
    parallel_for(state.size(), [&](std::size_t i) {
        shape_[i] = shape_of(state.orientation[i], rest_.radii[i]);
        if (state.pin[i] == no_pin) {
            Vec3& v = state.velocity[i];
            v += dt * model_.gravity;
            for (const FieldSettings& field : fields) {
                if (!field.holds(state.position[i])) continue;
                const Real area = shadow_area(shape_[i], field.flow(time) - v);
                v = velocity_in(field, v, state.mass[i], state.rest_volume[i], area, model_.gravity, time, dt);
            }
            move_[i] = dt * state.velocity[i];
        } else {
            const PosePair& pin = pins[std::size_t(state.pin[i])];
            move_[i] = dt * carried_velocity(state.position[i], pin.now, pin.next, dt);
            state.spin[i] = pin_spin[std::size_t(state.pin[i])];
        }
        turning_[i] = Vec3::Zero();
    });
    if (!settings_.keeps_spin && settings_.damping == 0) return;
    const Real kept = std::exp(-settings_.damping * dt);
    parallel_for(
        pieces_.size(),
        [&](std::size_t p) {
            const MovingPiece& piece = pieces_[p];
            const RigidMotion motion = piece.is_pinned ? RigidMotion{} : rigid_motion(piece.particles, state, shape_);
            const bool turns = settings_.keeps_spin && dt * motion.spin.norm() < largest_turn;
            const Vec3 spin = turns ? motion.spin : Vec3(Vec3::Zero());
            const Mat3 turn = rotation_from_vector(dt * spin).toRotationMatrix();
            for (const std::uint32_t i : piece.particles) {
                if (held_[i]) continue;
                Vec3& v = state.velocity[i];
                const Vec3 rigid = motion.velocity_at(state.position[i]), r = state.position[i] - motion.centre;
                v = rigid + kept * (v - rigid);
                state.spin[i] = motion.spin + kept * (state.spin[i] - motion.spin);
                const Vec3 chord = turn * r - r;
                move_[i] = dt * v + chord - dt * spin.cross(r);
                turning_[i] = spin.cross(turn * r) - chord / dt;
            }
        },
        1);
}

void Mueller2011::fill_working(const ParticleState& state, Real dt) {
    const Box box = bounds(state);
    origin_ = box.isEmpty() ? Vec3(Vec3::Zero()) : Vec3(box.center());
    parallel_blocks(state.size(), default_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            now_[i] = state.orientation[i] * rest_.orientation[i].conjugate();
            start_[i] = (state.position[i] - origin_).cast<float>();
            predicted_[i] = (state.position[i] + move_[i] - origin_).cast<float>();
            start_turn_[i] = to_turn(now_[i]);
            predicted_turn_[i] = turned(start_turn_[i], (dt * state.spin[i]).cast<float>());
            Eigen::Map<Eigen::Vector3f>(working_.particle[i].x) = predicted_[i];
            working_.turn[i] = predicted_turn_[i];
            if (is_lone_[i] && !held_[i])
                inverse_inertia_[i] = own_inertia(rest_.mass[i], shape_[i].cast<Real>()).inverse().cast<float>();
        }
        working_.refresh_moments(begin, end);
    });
}

// Clusters share no particle: small ones go side by side, of a large one the packs of a colour.
void Mueller2011::sweep_bodies(bool backwards) {
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        if (clusters_[c].is_large()) sweep_cluster(c, backwards, true);
    }
    parallel_for(
        clusters_.size(),
        [&](std::size_t c) {
            if (!clusters_[c].is_large()) sweep_cluster(c, backwards, false);
        },
        1);
}

void Mueller2011::sweep_cluster(std::size_t cluster, bool backwards, bool in_parallel) {
    groups_.sweep(cluster, working_, backwards, in_parallel);
    for (std::uint32_t g = group_begin_[cluster]; g < group_begin_[cluster + 1]; ++g) {
        if (soft_for_[g] == 0) rigid_.match(g, working_);
    }
    links_.sweep(cluster, working_);
}

// Within a body the solver moves nothing but what keeps its centre of mass, and contacts move that by their impulses:
//     drift = (sum m dx - sum lambda) / sum m
// is rounding, which would add up to 1e-5 of the momentum in a thousand steps.
void Mueller2011::find_drift() {
    drift_.assign(rest_.bodies.size(), Vec3::Zero());
    for (const auto& contacts : {pairs_.contacts(), obstacles_.contacts()}) {
        for (const Contact& c : contacts) {
            const Vec3 on_a = (c.tangent - c.lambda * c.normal).cast<Real>();
            drift_[body_[c.a]] -= on_a;
            if (c.b != obstacle) drift_[body_[c.b]] += on_a;
        }
    }
    parallel_for(
        rest_.bodies.size(),
        [&](std::size_t b) {
            Real mass = 0;
            for (std::size_t i = rest_.bodies[b].first; i < rest_.bodies[b].last; ++i) {
                const Eigen::Vector3f moved = Eigen::Map<const Eigen::Vector3f>(working_.particle[i].x) - predicted_[i];
                drift_[b] += rest_.mass[i] * moved.cast<Real>();
                mass += rest_.mass[i];
            }
            drift_[b] /= mass;
            if (body_is_held_[b] || !drift_[b].allFinite()) drift_[b].setZero();
        },
        16);
}

// What the solver has changed, in double, on what was predicted: a particle that nothing touched keeps all its digits.
void Mueller2011::finish(ParticleState& state, Real dt) {
    const Real per_step = 1 / dt;
    parallel_for(state.size(), [&](std::size_t i) {
        const Eigen::Vector3f moved = Eigen::Map<const Eigen::Vector3f>(working_.particle[i].x) - predicted_[i];
        const Vec3 move = move_[i] + (moved.cast<Real>() - drift_[body_[i]]);
        state.position[i] += move;
        state.velocity[i] = per_step * move + turning_[i];
        const bool is_predicted = is_same(working_.turn[i], predicted_turn_[i]);
        if (is_predicted) {
            const Quat ahead = rotation_from_vector(dt * state.spin[i]) * now_[i];
            state.orientation[i] = (ahead * rest_.orientation[i]).normalized();
        } else {
            const Quat ahead = to_quat(working_.turn[i]);
            state.spin[i] = per_step * vector_from_rotation(ahead * now_[i].conjugate());
            state.orientation[i] = ahead * rest_.orientation[i];
        }
    });
}

// A hit is as hard as the speed that it takes away.
void Mueller2011::note_hits(Real dt) {
    std::vector<Real> hit(rest_.size(), 0);
    const auto note = [&](const Contact& c) {
        const Real speed = c.normal_mass > 0 ? c.lambda / (c.normal_mass * dt) : 0;
        hit[c.a] = std::max(hit[c.a], speed);
        if (c.b != obstacle) hit[c.b] = std::max(hit[c.b], speed);
    };
    for (const Contact& c : pairs_.contacts()) note(c);
    for (const Contact& c : obstacles_.contacts()) note(c);
    for (std::size_t g = 0; g < rest_.groups.size(); ++g) {
        const RigidGroup& group = rest_.groups[g];
        const auto dents = [&](std::uint32_t i) { return hit[i] > group.dent_speed; };
        if (group.dent_speed > 0 && std::any_of(group.particles.begin(), group.particles.end(), dents)) {
            soft_for_[g] = static_cast<std::uint32_t>(settings_.dent_steps) + 1;
        }
    }
}

void Mueller2011::deform_for_good(ParticleState& state, Real dt, StepReport& report) {
    bool has_changed = false;
    const auto can_dent = [](const RigidGroup& group) { return group.dent_speed > 0; };
    if (std::any_of(rest_.groups.begin(), rest_.groups.end(), can_dent)) note_hits(dt);
    for (std::size_t g = 0; g < rest_.groups.size(); ++g) {
        if (soft_for_[g] == 0 || --soft_for_[g] > 0) continue;
        absorb_dent(rest_.groups[g], state, rest_);
        has_changed = true;
    }
    if (settings_.creep > 0) {
        report.yielding = creep(settings_.yield, settings_.creep, dt, state, rest_);
        has_changed |= report.yielding > 0;
    }
    if (has_changed) take_rest();
}

Real Mueller2011::elastic_energy(const ParticleState& state) const {
    if (settings_.stiffness) return 0;
    return parallel_sum(state.size(), Real(0), [&](std::size_t i) -> Real {
        if (rest_.neighbours(i).empty() || rest_.is_joint[i]) return 0;
        const Material& material = model_.material_of(state.body[i]);
        const Real young_volume = material.moduli.young() * rest_.mass[i] / material.density * rest_.stiffness[i];
        return 1.5 * young_volume * square(fit_group(i, state, rest_).strain());
    });
}

Spin Mueller2011::spin(const ParticleState& state) const {
    const auto of = [&](std::size_t i) {
        const Mat3 R = state.orientation[i].toRotationMatrix();
        const Mat3 S = R * rest_.radii[i].cwiseAbs2().asDiagonal() * R.transpose();
        const Vec3 L = own_inertia(state.mass[i], S) * state.spin[i];
        return Spin{state.spin[i].dot(L) / 2, L};
    };
    const auto add = [](const Spin& a, const Spin& b) { return Spin{a.energy + b.energy, a.momentum + b.momentum}; };
    return parallel_reduce(state.size(), Spin{}, of, add);
}

std::vector<Quantity> Mueller2011::quantities(const ParticleState& state) const {
    Quantity strain{"strain", "", std::vector<Real>(state.size(), 0)};
    Quantity plastic{"plastic_strain", "", state.plastic_strain};
    parallel_for(state.size(), [&](std::size_t i) {
        if (!rest_.neighbours(i).empty()) strain.values[i] = fit_group(i, state, rest_).strain();
    });
    std::vector<Quantity> all = {strain, plastic};
    for (int k = 0; k < 4; ++k) {
        Quantity& part = all.emplace_back(Quantity{std::string("orientation_") + "xyzw"[k], "", {}});
        for (const Quat& q : state.orientation) part.values.push_back(q.coeffs()[k]);
    }
    return all;
}

void Mueller2011::save(Snapshot& snapshot) const {
    rest_.save(snapshot);
    snapshot.put("oriented.soft_for", soft_for_);
}

void Mueller2011::restore(const Snapshot& snapshot) {
    std::vector<std::uint32_t> soft;
    snapshot.get("oriented.soft_for", soft);
    if (soft.size() != soft_for_.size()) {
        throw InputError("the checkpoint's groups of the method oriented are not those of the scene");
    }
    rest_.restore(snapshot);
    soft_for_ = std::move(soft);
    take_rest();
}

std::size_t Mueller2011::bytes() const {
    return rest_.size() * (4 * sizeof(Vec3) + 2 * sizeof(Quat) + 4 * sizeof(Eigen::Matrix3f)) +
           working_.particle.capacity() * (sizeof(WorkingParticle) + sizeof(Turn)) + groups_.bytes() + pairs_.bytes();
}

}  // namespace pliant
