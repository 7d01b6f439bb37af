#include "pliant/scene/build.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_order.h"
#include "pliant/geometry/sampling.h"
#include "pliant/methods/oriented/rig_builder.h"
#include "pliant/methods/oriented/rig_file.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

constexpr Real skin_fineness = 0.2;  // of a skin's triangles, in spacings of the particles that carry it

Real finest_spacing(const Scene& scene) {
    Real finest = std::numeric_limits<Real>::infinity();
    for (const BodySettings& body : scene.bodies) finest = std::min(finest, body.spacing);
    return finest;
}

std::size_t material_index(const Scene& scene, const std::string& name) {
    const auto found = std::find_if(scene.materials.begin(), scene.materials.end(),
                                    [&](const MaterialSettings& m) { return m.name == name; });
    return static_cast<std::size_t>(found - scene.materials.begin());
}

SamplingSettings sampling_of(const BodySettings& body) {
    SamplingSettings sampling;
    sampling.sampling = body.sampling;
    sampling.spacing = body.spacing;
    sampling.seed = body.seed;
    return sampling;
}

// Messages of the rooms below do not know which body they speak of.
template <class Work>
auto for_body(const BodySettings& body, Work&& work) {
    try {
        return work();
    } catch (const InputError& error) {
        throw InputError(fmt::format("body.{}: {}", body.name, error.what()));
    }
}

ShapePtr body_shape(const Scene& scene, const BodySettings& body, std::vector<std::string>& warnings) {
    std::vector<std::string> own;
    const ShapePtr shape = for_body(body, [&] {
        return build_shape(body.shape, {scene.folder, body.spacing / 2, &own});
    });
    for (const std::string& warning : own) warnings.push_back(fmt::format("body.{}: {}", body.name, warning));
    return shape;
}

// Rigs are of the body's own space, as shapes are.
std::shared_ptr<const Rig> body_rig(const Scene& scene, const BodySettings& body, std::vector<std::string>& warnings) {
    return for_body(body, [&] {
        Rig rig;
        if (body.rig.empty()) {
            const ShapePtr shape = body_shape(scene, body, warnings);
            RigSettings settings;
            settings.spacing = body.spacing;
            settings.seed = body.seed;
            rig = build_rig(*shape, shape->surface(skin_fineness * body.spacing), settings);
        } else {
            rig = read_rig(scene.folder / body.rig);
        }
        add_groups(rig, body.groups, {scene.folder, body.spacing / 2, &warnings});
        return std::make_shared<const Rig>(std::move(rig));
    });
}

// What a rig is made from, as text: bodies that agree in it share one.
std::string rig_key(const BodySettings& body) {
    BodySettings same;
    same.shape = body.shape;
    same.spacing = body.spacing;
    same.seed = body.seed;
    same.rig = body.rig;
    same.groups = body.groups;
    Scene scene;
    scene.bodies = {same};
    return to_toml(scene);
}

class RigCache {
public:
    std::shared_ptr<const Rig> get(const Scene& scene, const BodySettings& body, std::vector<std::string>& warnings) {
        auto& rig = rigs_[rig_key(body)];
        if (!rig) rig = body_rig(scene, body, warnings);
        return rig;
    }

private:
    std::map<std::string, std::shared_ptr<const Rig>> rigs_;
};

bool has_rigs(const Scene& scene) {
    return find_method(scene.simulation.method).can(Ability::rigs);
}

void add_rigged_body(ParticleState& state, const Scene& scene, const Model& model, std::size_t b) {
    const BodySettings& body = scene.bodies[b];
    const Rig& rig = *model.bodies[b].rig;
    const Placement place{body.position, rotation_from_degrees(body.rotation)};
    const Real density = model.material_of(b).density;
    const std::size_t first = state.size();
    state.resize(first + rig.size());
    state.add_orientations();
    Vec3 moment = Vec3::Zero();
    Real volume = 0;
    for (std::size_t k = 0; k < rig.size(); ++k) {
        moment += rig.volume[k] * rig.position[k];
        volume += rig.volume[k];
    }
    for (std::size_t k = 0; k < rig.size(); ++k) {
        const std::size_t i = first + k;
        state.id[i] = static_cast<std::uint32_t>(i);
        state.body[i] = static_cast<std::uint32_t>(b);
        state.position[i] = place.to_world(rig.position[k]);
        state.orientation[i] = (place.rotation * rig.orientation[k]).normalized();
        state.velocity[i] =
            body.velocity + body.angular_velocity.cross(place.rotation * (rig.position[k] - moment / volume));
        state.spin[i] = body.angular_velocity;
        state.rest_volume[i] = rig.volume[k];
        state.mass[i] = density * rig.volume[k];
    }
}

// Particles of one body, sorted along a curve through its cells, behind those that are there already.
void add_body(ParticleState& state, const Scene& scene, const Model& model, std::size_t b,
              std::vector<std::string>& warnings) {
    const BodySettings& body = scene.bodies[b];
    const ShapePtr shape = body_shape(scene, body, warnings);
    const Samples samples = for_body(body, [&] { return sample(*shape, sampling_of(body)); });
    const Placement place{body.position, rotation_from_degrees(body.rotation)};
    const auto order = cell_order(samples.positions, 2 * body.spacing);
    const Real density = model.material_of(b).density;
    const std::size_t first = state.size();
    state.resize(first + order.size());
    Vec3 centre = Vec3::Zero();
    for (const Vec3& x : samples.positions) centre += x / Real(samples.positions.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t i = first + k;
        const Vec3& x = samples.positions[order[k]];
        state.id[i] = static_cast<std::uint32_t>(first + order[k]);
        state.body[i] = static_cast<std::uint32_t>(b);
        state.position[i] = place.to_world(x);
        state.velocity[i] = body.velocity + body.angular_velocity.cross(place.rotation * (x - centre));
        state.rest_volume[i] = samples.volume;
        state.mass[i] = density * samples.volume;
    }
}

void pin_particles(ParticleState& state, const Scene& scene, const Model& model, std::vector<std::string>& warnings) {
    for (std::size_t p = 0; p < scene.pins.size(); ++p) {
        const PinSettings& pin = scene.pins[p];
        const ShapePtr shape = build_shape(pin.shape, {scene.folder, finest_spacing(scene) / 2, &warnings});
        const Placement place = model.pins[p].pose(0).placement;
        std::size_t held = 0;
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (!pin.body.empty() && model.bodies[state.body[i]].name != pin.body) continue;
            if (shape->distance(place.to_local(state.position[i])) > 0) continue;
            state.pin[i] = static_cast<std::int32_t>(p);
            ++held;
        }
        if (held == 0)
            throw InputError(fmt::format("pin.{}: holds no particle: move it or make its shape larger", pin.name));
    }
}

}  // namespace

Model build_model(const Scene& scene, std::vector<std::string>& warnings) {
    Model model;
    model.gravity = scene.simulation.gravity;
    model.body_friction = scene.simulation.friction;
    for (const MaterialSettings& material : scene.materials) {
        model.materials.push_back(material.resolve());
        if (has_rigs(scene) && material.plastic) {
            warnings.push_back(
                fmt::format("material.{}: the method 'oriented' takes it for elastic; it bends for good by "
                            "oriented.yield and oriented.creep. The method 'mls' knows plastic materials",
                            material.name));
        }
    }
    RigCache rigs;
    for (const BodySettings& body : scene.bodies) {
        model.bodies.push_back({body.name, material_index(scene, body.material), body.spacing});
        if (has_rigs(scene)) model.bodies.back().rig = rigs.get(scene, body, warnings);
    }
    for (const ColliderSettings& collider : scene.colliders) {
        try {
            model.colliders.emplace_back(collider, ShapeContext{scene.folder, finest_spacing(scene) / 2, &warnings});
        } catch (const InputError& error) {
            throw InputError(fmt::format("collider.{}: {}", collider.name, error.what()));
        }
    }
    for (const PinSettings& pin : scene.pins) model.pins.emplace_back(pin);
    model.fields = scene.fields;
    return model;
}

ParticleState build_particles(const Scene& scene, const Model& model, std::vector<std::string>& warnings) {
    ParticleState state;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        has_rigs(scene) ? add_rigged_body(state, scene, model, b) : add_body(state, scene, model, b, warnings);
    }
    pin_particles(state, scene, model, warnings);
    return state;
}

ParticleFrame make_particle_frame(const Model& model, const ParticleState& state,
                                  const std::vector<Quantity>& quantities) {
    const std::size_t n = state.size();
    ParticleFrame frame;
    frame.id.resize(n);
    frame.position.resize(n);
    frame.velocity.resize(n);
    frame.body.resize(n);
    frame.radius.resize(n);
    frame.material.resize(n);
    frame.deformation.resize(n);
    const std::vector<BodyRange> ranges = body_ranges(state, model.bodies.size());
    for (const Quantity& q : quantities) frame.quantities.push_back({q.name, q.unit, std::vector<float>(n)});
    parallel_for(n, [&](std::size_t i) {
        const std::size_t k = state.id[i];
        const BodyModel& body = model.bodies[state.body[i]];
        frame.id[k] = state.id[i];
        frame.position[k] = state.position[i].cast<float>();
        frame.velocity[k] = state.velocity[i].cast<float>();
        frame.body[k] = static_cast<std::uint16_t>(state.body[i]);
        frame.radius[k] = static_cast<float>(body.spacing / 2);
        frame.material[k] = static_cast<std::uint16_t>(body.material);
        frame.deformation[k] = state.deformation[i].cast<float>();
        if (body.rig) {
            const Vec3& radii = body.rig->radii[i - ranges[state.body[i]].first];
            const Mat3 axes = state.orientation[i].toRotationMatrix() * radii.asDiagonal();
            frame.radius[k] = static_cast<float>(radii.maxCoeff());
            frame.deformation[k] = (axes / radii.maxCoeff()).cast<float>();
        }
        for (std::size_t q = 0; q < quantities.size(); ++q)
            frame.quantities[q].values[k] = static_cast<float>(quantities[q].values[i]);
    });
    return frame;
}

SizeEstimate estimate_size(const Scene& scene, std::vector<std::string>& warnings) {
    SizeEstimate size;
    RigCache rigs;
    for (const BodySettings& body : scene.bodies) {
        const auto sampled = [&] {
            const ShapePtr shape = body_shape(scene, body, warnings);
            return for_body(body, [&] { return estimate_count(*shape, sampling_of(body)); });
        };
        const std::size_t count = has_rigs(scene) ? rigs.get(scene, body, warnings)->size() : sampled();
        size.bodies.push_back({body.name, count});
        size.particles += count;
    }
    // Measured on the gallery: state and checkpoint image, moments and stress, and the lists, which grow with the
    // support.
    const Real neighbours = 4.0 / 3.0 * pi * cube(*scene.mls.resolved(scene.simulation.integrator).support);
    size.memory = static_cast<std::size_t>(Real(size.particles) * (2000 + 36 * neighbours)) + 100'000'000;
    size.frame = 90 * size.particles + 2000;
    size.disk = (scene.output.particles ? size.frame * std::size_t(scene.frame_count() + 1) : 0) +
                2 * 500 * size.particles + 50'000'000;
    return size;
}

}  // namespace pliant
