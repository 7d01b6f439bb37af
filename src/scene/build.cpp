#include "pliant/scene/build.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_order.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/sampling.h"
#include "pliant/methods/oriented/rig_builder.h"
#include "pliant/methods/oriented/rig_file.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

constexpr Real closest = 0.8, least_gap = 0.3;  // of liquid to other particles and to obstacles, in spacings
constexpr Real skin_fineness = 0.2;             // of a skin's triangles, in spacings of the particles that carry it

Real finest_spacing(const Scene& scene) {
    Real finest = std::numeric_limits<Real>::infinity();
    for (const BodySettings& body : scene.bodies) finest = std::min(finest, body.spacing);
    for (const FluidSettings& fluid : scene.fluids) finest = std::min(finest, fluid.spacing);
    return finest;
}

// What a fluid has in common with a body: a shape full of particles.
BodySettings as_body(const FluidSettings& fluid) {
    BodySettings body;
    body.name = fluid.name;
    body.shape = fluid.shape;
    body.spacing = fluid.spacing;
    body.sampling = fluid.sampling;
    body.seed = fluid.seed;
    body.position = fluid.position;
    body.rotation = fluid.rotation;
    body.velocity = fluid.velocity;
    return body;
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

std::string label_of(const Scene& scene, const BodySettings& body) {
    const bool is_fluid = std::any_of(scene.fluids.begin(), scene.fluids.end(),
                                      [&](const FluidSettings& fluid) { return fluid.name == body.name; });
    return fmt::format("{}.{}", is_fluid ? "fluid" : "body", body.name);
}

// Messages of the rooms below do not know which body they speak of.
template <class Work>
auto for_body(const Scene& scene, const BodySettings& body, Work&& work) {
    try {
        return work();
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", label_of(scene, body), error.what()));
    }
}

bool has_rigs(const Scene& scene) {
    return find_method(scene.simulation.method).can(Ability::rigs);
}

ShapePtr body_shape(const Scene& scene, const BodySettings& body, std::vector<std::string>& warnings) {
    std::vector<std::string> own;
    const ShapePtr shape = for_body(scene, body, [&] {
        ShapeContext context{scene.folder, body.spacing / 2, &own};
        if (has_rigs(scene) && !body.groups.empty()) {  // parts that turn have gaps around them
            context.resolution = rig_resolution(body.spacing);
            context.most_voxels_across = most_rig_voxels_across;
        }
        return build_shape(body.shape.value(), context);
    });
    for (const std::string& warning : own) warnings.push_back(fmt::format("{}: {}", label_of(scene, body), warning));
    return shape;
}

// Rigs are of the body's own space, as shapes are.
std::shared_ptr<const Rig> body_rig(const Scene& scene, const BodySettings& body, std::vector<std::string>& warnings) {
    return for_body(scene, body, [&] {
        const ShapeContext context{scene.folder, body.spacing / 2, &warnings};
        Rig rig;
        if (body.rig.empty()) {
            const ShapePtr shape = body_shape(scene, body, warnings);
            RigSettings settings;
            settings.spacing = body.spacing;
            settings.seed = body.seed;
            rig = build_rig(*shape, shape->surface(skin_fineness * body.spacing), settings);
            add_groups(rig, body.groups, context);
            if (body.skin_resolution) {
                change_skin(rig, *shape, *body.skin_resolution, body.spacing);
            } else if (!body.groups.empty()) {
                hang_skin(rig, body.spacing);  // groups cut links, and weights go by links
            }
        } else {
            rig = read_rig(scene.folder / body.rig);
            add_groups(rig, body.groups, context);
        }
        return std::make_shared<const Rig>(std::move(rig));
    });
}

// What a rig is made from, as text: bodies that agree in it share one.
std::string rig_key(const BodySettings& body) {
    BodySettings same = {};
    same.shape.emplace(body.shape.value_or(BoxShape{}));  // a rig from a file has none
    same.spacing = body.spacing;
    same.seed = body.seed;
    same.rig = body.rig;
    same.skin_resolution = body.skin_resolution;
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

// What an emitter will have added by the end.
std::size_t poured_count(const Scene& scene, const EmitterSettings& emitter) {
    const Real open = std::min(scene.simulation.duration, emitter.end) - emitter.start;
    const Real volume = std::max(Real(0), open) * emitter.area() * emitter.flow_speed();
    Real count = 0;
    const auto add = [&](const auto& poured) {
        if (poured.name == emitter.pours()) count = volume / cube(poured.spacing);
    };
    for (const BodySettings& body : scene.bodies) add(body);
    for (const FluidSettings& fluid : scene.fluids) add(fluid);
    return static_cast<std::size_t>(std::min(count, 1e18));
}

// Liquid gives way to what is there already: obstacles, rigid bodies, and particles of bodies before it.
void leave_room(std::vector<Vec3>& positions, const Placement& place, const Model& model, const ParticleState& state,
                Real spacing) {
    std::vector<Vec3> all;
    for (const Vec3& x : positions) all.push_back(place.to_world(x));
    const std::size_t n = all.size();
    all.insert(all.end(), state.position.begin(), state.position.end());
    NeighbourSearch search;
    NeighbourLists near;
    search.find(all, closest * spacing, near);
    const auto is_free = [&](std::size_t k) {
        const auto row = near[k];
        if (!row.empty() && row.back() >= n) return false;
        const auto is_outside = [&](Real distance) { return distance > least_gap * spacing; };
        return std::all_of(model.colliders.begin(), model.colliders.end(),
                           [&](const Collider& c) { return is_outside(c.surface_at(all[k], c.pose(0)).distance); }) &&
               std::all_of(model.rigids.begin(), model.rigids.end(), [&](const RigidModel& r) {
                   return is_outside(r.shape->distance(r.place.to_local(all[k])));
               });
    };
    std::vector<Vec3> kept;
    for (std::size_t k = 0; k < n; ++k) {
        if (is_free(k)) kept.push_back(positions[k]);
    }
    positions = std::move(kept);
}

// Particles of one body, sorted along a curve through its cells, behind those that are there already.
void add_body(ParticleState& state, const Scene& scene, const Model& model, std::size_t b, const BodySettings& body,
              std::vector<std::string>& warnings) {
    if (!body.shape) return;  // until an emitter pours it
    const ShapePtr shape = body_shape(scene, body, warnings);
    Samples samples = for_body(scene, body, [&] { return sample(*shape, sampling_of(body)); });
    const Placement place{body.position, rotation_from_degrees(body.rotation)};
    if (model.bodies[b].liquid) {
        const std::size_t wanted = samples.positions.size();
        leave_room(samples.positions, place, model, state, body.spacing);
        const std::size_t left_out = wanted - samples.positions.size();
        if (left_out == wanted)
            throw InputError(fmt::format("fluid.{}: lies within obstacles and bodies altogether: move it", body.name));
        if (left_out > 0) {
            warnings.push_back(
                fmt::format("fluid.{}: {} of {} particles are left out to make room for bodies and obstacles",
                            body.name, left_out, wanted));
        }
    }
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
    if (scene.simulation.method == "mpm" && scene.mpm.grid == "rest" && scene.bodies.size() > 1 &&
        scene.simulation.integrator == "admm") {
        warnings.push_back(
            "mpm.grid = \"rest\": with the integrator 'admm' bodies pass through each other; 'newton' and 'explicit' "
            "let them touch");
    }
    RigCache rigs;
    for (const BodySettings& body : scene.bodies) {
        model.bodies.push_back({body.name, material_index(scene, body.material), body.spacing});
        if (has_rigs(scene)) model.bodies.back().rig = rigs.get(scene, body, warnings);
    }
    for (const FluidSettings& fluid : scene.fluids) {
        model.bodies.push_back({fluid.name, model.materials.size(), fluid.spacing, nullptr, fluid.liquid()});
        model.materials.push_back({fluid.name, fluid.density, {}, make_elasticity(CorotatedElasticity::name, {}), {}});
    }
    for (const EmitterSettings& emitter : scene.emitters) {
        const auto poured = std::find_if(model.bodies.begin(), model.bodies.end(),
                                         [&](const BodyModel& body) { return body.name == emitter.pours(); });
        const auto b = std::size_t(poured - model.bodies.begin());
        const bool is_shaken = b < scene.bodies.size() && scene.bodies[b].sampling != "cubic";
        model.emitters.push_back({b, emitter, is_shaken});
    }
    const ShapeContext context{scene.folder, finest_spacing(scene) / 2, &warnings};
    for (const RigidSettings& rigid : scene.rigids) {
        try {
            model.rigids.emplace_back(rigid, context);
        } catch (const InputError& error) {
            throw InputError(fmt::format("rigid.{}: {}", rigid.name, error.what()));
        }
    }
    for (const ColliderSettings& collider : scene.colliders) {
        try {
            model.colliders.emplace_back(collider, context);
        } catch (const InputError& error) {
            throw InputError(fmt::format("collider.{}: {}", collider.name, error.what()));
        }
    }
    for (const PinSettings& pin : scene.pins) model.pins.emplace_back(pin);
    model.fields = scene.fields;
    model.schedules =
        build_schedules(scene, [](std::size_t, const std::string& problem) { throw InputError(problem); });
    for (const MaterialSchedule& schedule : model.schedules) {
        if (scene.simulation.method != "mpm" || !schedule.loses_volume()) continue;
        warnings.push_back(fmt::format(
            "material.{}: it melts, and keeps its volume: in the method 'mpm' its bulk modulus stays at "
            "its own, or at that of a liquid (mpm.liquid_speed) if that is less, whatever the schedule says",
            model.materials[schedule.material].name));
    }
    return model;
}

std::vector<MaterialSchedule> build_schedules(
    const Scene& scene, FunctionRef<void(std::size_t schedule, const std::string& problem)> complain) {
    std::vector<std::string> names;
    for (const MaterialSettings& material : scene.materials) names.push_back(material.name);
    std::vector<MaterialSchedule> schedules;
    for (std::size_t i = 0; i < scene.schedules.size(); ++i) {
        const auto wrong = scene.schedules[i].problems();
        if (!wrong.empty()) {
            complain(i, wrong.front());
            continue;
        }
        const std::string name = scene.schedules[i].target()->material;
        const std::size_t m = material_index(scene, name);
        if (m == names.size()) {
            complain(i, fmt::format("there is no material '{}'{}", name,
                                    names.empty() ? ": add a [material] table" : suggestion(name, names)));
            continue;
        }
        if (!scene.materials[m].problems().empty()) continue;
        auto driven = std::find_if(schedules.begin(), schedules.end(),
                                   [&](const MaterialSchedule& schedule) { return schedule.material == m; });
        if (driven == schedules.end()) {
            driven = schedules.emplace(driven, m, scene.materials[m].resolve());
        }
        if (const auto problem = driven->add(scene.schedules[i])) complain(i, *problem);
    }
    return schedules;
}

ParticleState build_particles(const Scene& scene, const Model& model, std::vector<std::string>& warnings) {
    ParticleState state;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        has_rigs(scene) ? add_rigged_body(state, scene, model, b)
                        : add_body(state, scene, model, b, scene.bodies[b], warnings);
    }
    for (std::size_t f = 0; f < scene.fluids.size(); ++f) {
        add_body(state, scene, model, scene.bodies.size() + f, as_body(scene.fluids[f]), warnings);
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
    constexpr Real whatever_runs = 170e6;  // bytes: the program, and the picture of the last frame
    constexpr Real while_it_grows = 1.4;   // arrays have room for what is poured next; by estimate
    SizeEstimate size;
    RigCache rigs;
    const auto sampled = [&](const BodySettings& body) -> std::size_t {
        if (!body.shape) return 0;
        const ShapePtr shape = body_shape(scene, body, warnings);
        return for_body(scene, body, [&] { return estimate_count(*shape, sampling_of(body)); });
    };
    Real memory = whatever_runs;
    const MemoryNeed& need = find_method(scene.simulation.method).memory;
    const Real neighbours = 4.0 / 3.0 * pi * cube(*scene.mls.resolved(scene.simulation.integrator).support);
    const auto add = [&](const std::string& name, std::size_t count, Real bytes_a_particle) {
        size.bodies.push_back({name, count});
        size.particles += count;
        memory += Real(count) * (bytes_a_particle + need.neighbour * neighbours);
    };
    for (const BodySettings& body : scene.bodies) {
        const auto material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                           [&](const MaterialSettings& m) { return m.name == body.material; });
        const bool flows = material != scene.materials.end() && material->plastic;
        add(body.name, has_rigs(scene) ? rigs.get(scene, body, warnings)->size() : sampled(body),
            flows ? need.plastic : need.elastic);
    }
    for (const FluidSettings& fluid : scene.fluids) {
        add(fluid.name, sampled(as_body(fluid)), need.liquid);
    }
    for (const EmitterSettings& emitter : scene.emitters) {
        size.poured.push_back(poured_count(scene, emitter));
        size.particles += size.poured.back();
        memory += Real(size.poured.back()) * while_it_grows * need.liquid;
    }
    size.memory = static_cast<std::size_t>(memory);
    size.frame = 90 * size.particles + 2000;
    size.disk = (scene.output.particles ? size.frame * std::size_t(scene.frame_count() + 1) : 0) +
                2 * 500 * size.particles + 50'000'000;
    return size;
}

}  // namespace pliant
