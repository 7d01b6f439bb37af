#include "pliant/scene/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/hash.h"
#include "pliant/contact/rigid_bodies.h"
#include "pliant/scene/build.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

constexpr Real shortest_step = 1e-12;  // s
constexpr Real fling = 10;             // times faster than what drives it: such a particle was thrown off by the solver

// What the scene itself brings along in speed: sound in its materials, liquids that fall or contract, speeds at the
// start, moving obstacles and pins, rigid bodies, emitters.
Real driving_speed(const Model& model, const ParticleState& state) {
    Real sound = 0, motion = 0;
    for (const Material& material : model.materials) {
        sound = std::max(sound, sound_speed(material.moduli, material.density));
    }
    const Real reach = state.size() > 0 ? bounds(state).diagonal().norm() : 0;
    for (const BodyModel& body : model.bodies) {
        if (!body.liquid) continue;
        const Real fall = std::sqrt(2 * model.gravity.norm() * reach);
        const Real pull = std::sqrt(body.liquid->surface_tension / (body.liquid->density * body.spacing));
        sound = std::max(sound, fall + pull);
    }
    for (const Collider& collider : model.colliders) motion = std::max(motion, collider.motion().largest_speed(reach));
    for (const MaterialSchedule& schedule : model.schedules) {
        sound = std::max(sound, std::sqrt(schedule.largest_p_wave() / model.materials[schedule.material].density));
    }
    for (const RigidModel& rigid : model.rigids) {
        const Real size = rigid.shape->bounds().diagonal().norm();
        motion = std::max(motion, rigid.velocity.norm() + rigid.angular_velocity.norm() * size);
    }
    for (const EmitterModel& emitter : model.emitters) motion = std::max(motion, emitter.settings.flow_speed());
    for (const FieldSettings& field : model.fields) {
        motion = std::max(motion, field.velocity.norm() + field.sway.norm());
    }
    for (const Pin& pin : model.pins) motion = std::max(motion, pin.motion().largest_speed(reach));
    return sound + motion + largest_speed(state);
}

// A scene put together in a program is held to the same rules as one from a file: it is read as the text that it makes.
void throw_problems(const Scene& scene) {
    std::vector<std::string> lines;
    for (const Problem& problem : check_scene(scene)) lines.push_back(problem.path + ": " + problem.message);
    if (!lines.empty()) throw SceneError(lines);
    parse_scene(to_toml(scene), "scene as text", scene.folder);
}

}  // namespace

World::World(Scene scene, WorldOptions options)
    : scene_(std::move(scene)), log_(std::move(options.log)), threads_(options.threads) {
    fill_in_names(scene_);
    throw_problems(scene_);
    threads_.run([&] {
        std::vector<std::string> warnings;
        model_ = std::make_unique<Model>(build_model(scene_, warnings));
        state_ = build_particles(scene_, *model_, warnings);
        for (const std::string& warning : warnings) log_.warning("{}", warning);
        method_ = find_method(scene_.simulation.method).make(scene_, *model_);
        method_->prepare(state_);
        driving_speed_ = driving_speed(*model_, state_);
    });
}

World World::load(const std::filesystem::path& file, const std::vector<std::string>& changes, WorldOptions options) {
    return World(read_scene(file, changes), std::move(options));
}

// What is left of the frame, or until a pin lets go, in equal steps, none longer than the scene or the method allows.
Real World::next_timestep() const {
    const Real longest = scene_.simulation.timestep ? *scene_.simulation.timestep : method_->largest_timestep(state_);
    if (!(longest > shortest_step)) {
        throw SimulationError(
            fmt::format("step {} at {:.6g} s: the method asks for a step of {:.3g} s: the body has collapsed "
                        "or blown up. Try a finer spacing, a softer material or a slower impact",
                        steps_ + 1, time(), longest));
    }
    Real left = scene_.frame_duration() - offset_;
    for (const Pin& pin : model_->pins) {
        if (pin.holds_at(time() + clock_rounding())) left = std::min(left, pin.end() - time());
    }
    return left / std::max(Real(1), std::ceil(left / longest - 1e-9));
}

// The only place that decides whether a pin holds: what has come free is like what never was pinned.
void World::release_pins() {
    const Real now = time() + clock_rounding();
    const auto has_ended = [&](const Pin& pin) { return !pin.holds_at(now); };
    if (std::none_of(model_->pins.begin(), model_->pins.end(), has_ended)) return;
    bool has_changed = false;
    for (std::int32_t& pin : state_.pin) {
        if (pin == no_pin || !has_ended(model_->pins[std::size_t(pin)])) continue;
        pin = no_pin;
        has_changed = true;
    }
    if (has_changed) method_->pins_changed(state_);
}

StepSummary World::step() {
    StepSummary summary;
    threads_.run([&] {
        release_pins();
        Real dt = next_timestep();
        summary.report = method_->step(state_, time(), dt);
        dt = summary.report.taken.value_or(dt);
        summary.dt = dt;
        const Real left = scene_.frame_duration() - offset_ - dt;
        summary.frame_done = left < clock_rounding();
        offset_ = summary.frame_done ? 0 : offset_ + dt;
        frame_ += summary.frame_done;
        ++steps_;
        check_particles();
    });
    summary.step = steps_;
    summary.time = time();
    return summary;
}

void World::advance_frame() {
    while (!step().frame_done) {
    }
}

void World::check_particles() const {
    const auto place_of = [&](std::size_t i) {
        const Vec3 &q = state_.position[i], &v = state_.velocity[i];
        return fmt::format("position ({:g}, {:g}, {:g}) m, velocity ({:g}, {:g}, {:g}) m/s. The last good frame is {}",
                           q.x(), q.y(), q.z(), v.x(), v.y(), v.z(), offset_ == 0 ? frame_ - 1 : frame_);
    };
    const auto name_of = [&](std::size_t i) {
        return fmt::format("step {} at {:.6g} s: particle {} of body '{}'", steps_, time(), state_.id[i],
                           model_->bodies[state_.body[i]].name);
    };
    const std::size_t lost = first_not_finite(state_);
    if (lost < state_.size()) {
        throw SimulationError(
            fmt::format("{} is no longer finite: {}. Try a shorter timestep, or leave it to the method", name_of(lost),
                        place_of(lost)));
    }
    const std::vector<Placement> poses = method_->rigid_poses();
    for (std::size_t i = 0; i < poses.size(); ++i) {
        if (poses[i].position.allFinite() && poses[i].rotation.coeffs().allFinite()) continue;
        throw SimulationError(fmt::format(
            "step {} at {:.6g} s: the rigid body '{}' is no longer finite. Try a shorter timestep, or leave "
            "it to the method",
            steps_, time(), model_->rigids[i].name));
    }
    const Real limit = fling * (driving_speed_ + scene_.simulation.gravity.norm() * time());
    if (largest_speed(state_) <= limit) return;
    std::size_t flung = 0;
    while (state_.velocity[flung].norm() <= limit) ++flung;
    throw SimulationError(
        fmt::format("{} is {} times as fast as anything in the scene could make it, the simulation has become "
                    "unstable: {}. Try a shorter timestep, a finer spacing or a slower impact",
                    name_of(flung), std::lround(fling * state_.velocity[flung].norm() / limit), place_of(flung)));
}

Diagnostics World::diagnostics() const {
    Diagnostics d;
    threads_.run([&] {
        const Spin spin = method_->spin(state_);
        d.kinetic = kinetic_energy(state_) + spin.energy;
        d.elastic = method_->elastic_energy(state_);
        d.potential = potential_energy(state_, scene_.simulation.gravity);
        d.momentum = momentum(state_);
        d.momentum.angular += spin.momentum;
        d.volume = parallel_sum(state_.size(), Real(0), [&](std::size_t i) {
            return state_.rest_volume[i] * state_.deformation[i].determinant();
        });
        d.largest_speed = largest_speed(state_);
        if (const RigidBodies* rigids = method_->rigid_bodies()) {
            d.kinetic += rigids->kinetic_energy();
            d.potential += rigids->potential_energy();
            d.momentum.linear += rigids->momentum().linear;
            d.momentum.angular += rigids->momentum().angular;
            d.largest_speed = std::max(d.largest_speed, rigids->largest_speed());
        }
    });
    return d;
}

ParticleFrame World::particle_frame() const {
    ParticleFrame frame;
    threads_.run([&] { frame = make_particle_frame(*model_, state_, method_->quantities(state_)); });
    frame.time = time();
    frame.frame = frame_;
    return frame;
}

std::uint64_t World::hash() const {
    std::uint64_t value = 0;
    threads_.run([&] { value = state_.hash(); });
    Hash hash;
    hash.add_number(value);
    hash.add_number(static_cast<std::uint64_t>(frame_));
    hash.add_number(static_cast<std::uint64_t>(steps_));
    hash.add_bytes(&offset_, sizeof offset_);
    for (const Placement& pose : method_->rigid_poses()) {
        hash.add_bytes(pose.position.data(), sizeof pose.position);
        hash.add_bytes(pose.rotation.coeffs().data(), sizeof pose.rotation);
    }
    return hash.value();
}

std::size_t World::bytes() const {
    return state_.bytes() + method_->bytes();
}

void World::set_velocities(const std::vector<Vec3>& velocity) {
    if (velocity.size() != state_.size()) {
        throw InputError(fmt::format("{} velocities for {} particles", velocity.size(), state_.size()));
    }
    state_.velocity = velocity;
    driving_speed_ = driving_speed(*model_, state_);
}

void World::set_positions(const std::vector<Vec3>& position) {
    if (position.size() != state_.size()) {
        throw InputError(fmt::format("{} positions for {} particles", position.size(), state_.size()));
    }
    state_.position = position;
    threads_.run([&] { method_->positions_changed(state_); });
}

Snapshot World::save() const {
    Snapshot snapshot;
    state_.each_array([&](const char* name, const auto& array) { snapshot.put(std::string("state.") + name, array); });
    method_->save(snapshot);
    snapshot.put_text("scene", to_toml(scene_));
    snapshot.put_number("frame", static_cast<std::uint64_t>(frame_));
    snapshot.put_number("steps", static_cast<std::uint64_t>(steps_));
    snapshot.put_real("offset", offset_);
    snapshot.put_real("driving_speed", driving_speed_);
    snapshot.put_number("hash", hash());
    return snapshot;
}

void World::restore(const Snapshot& snapshot) {
    ParticleState read;
    read.each_array([&](const char* name, auto& array) { snapshot.get(std::string("state.") + name, array); });
    const std::size_t count = read.size();
    read.each_array([&](const char* name, const auto& array) {
        const bool is_absent = array.empty() && !state_.has_orientations();
        if (array.size() != count && !is_absent)
            throw InputError(fmt::format("the checkpoint's '{}' has another length than its positions", name));
    });
    const bool may_grow = !model_->emitters.empty();
    if (count != state_.size() && !(may_grow && count > state_.size())) {
        throw InputError(
            fmt::format("the checkpoint holds {} particles and the scene makes {}: the scene has changed since", count,
                        state_.size()));
    }
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_known = i < state_.size() ? read.body[i] == state_.body[i] : read.body[i] < model_->bodies.size();
        if (!is_known || read.id[i] >= count || read.pin[i] >= static_cast<int>(model_->pins.size())) {
            throw InputError("the checkpoint's bodies are not those of the scene: the scene has changed since");
        }
    }
    threads_.run([&] { method_->restore(snapshot); });
    state_ = std::move(read);
    threads_.run([&] { method_->pins_changed(state_); });
    driving_speed_ = snapshot.get_real("driving_speed");
    frame_ = static_cast<int>(snapshot.get_number("frame"));
    steps_ = static_cast<std::int64_t>(snapshot.get_number("steps"));
    offset_ = snapshot.get_real("offset");
    if (hash() != snapshot.get_number("hash")) throw InputError("the checkpoint's state does not match its hash");
}

}  // namespace pliant
