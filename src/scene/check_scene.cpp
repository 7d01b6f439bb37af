#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "pliant/base/nearest_name.h"
#include "pliant/scene/build.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene.h"

namespace pliant {
namespace {

class Checker {
public:
    explicit Checker(const Scene& scene) : scene_(scene) {}

    std::vector<Problem> run() {
        check_simulation();
        for (const MaterialSettings& material : scene_.materials) check_material(material);
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) check_body(i);
        for (std::size_t i = 0; i < scene_.fluids.size(); ++i) check_fluid(i);
        for (std::size_t i = 0; i < scene_.emitters.size(); ++i) check_emitter(i);
        for (std::size_t i = 0; i < scene_.rigids.size(); ++i) check_rigid(i);
        check_schedules();
        for (std::size_t i = 0; i < scene_.colliders.size(); ++i) {
            check_colour(fmt::format("collider.{}.colour", i), scene_.colliders[i].colour);
        }
        for (std::size_t i = 0; i < scene_.pins.size(); ++i) check_pin(i);
        return std::move(problems_);
    }

private:
    template <class... Args>
    void wrong(std::string path, fmt::format_string<Args...> format, Args&&... args) {
        problems_.push_back({std::move(path), fmt::format(format, std::forward<Args>(args)...)});
    }

    void check_simulation() {
        const auto& s = scene_.simulation;
        const auto& kinds = method_list();
        const auto kind =
            std::find_if(kinds.begin(), kinds.end(), [&](const MethodKind& k) { return k.name == s.method; });
        if (kind != kinds.end()) {
            const auto& has = kind->integrators;
            if (std::find(has.begin(), has.end(), s.integrator) == has.end()) {
                wrong("simulation.integrator", "the method '{}' has no integrator '{}'{}", s.method, s.integrator,
                      suggestion(s.integrator, has));
            }
            if (kind->has_one_spacing) check_spacings();
        }
        if (s.duration * s.fps > 1e6) {
            wrong("simulation.duration",
                  "{:g} s at {:g} frames a second is more than a million frames; lower duration or fps", s.duration,
                  s.fps);
        }
        if (!scene_.fields.empty()) check_ability("field", Ability::fields, "fields");
        if (!scene_.fluids.empty()) check_ability("fluid", Ability::fluids, "fluids");
        if (!scene_.fluids.empty() && has_rest_grid()) {
            wrong("fluid", "mpm.grid = \"rest\" is for elastic bodies: leave fluids out, or set it to \"moving\"");
        }
        if (!scene_.emitters.empty()) check_ability("emitter", Ability::emitters, "emitters");
        if (!scene_.rigids.empty()) check_ability("rigid", Ability::rigid_bodies, "rigid bodies");
        if (!scene_.schedules.empty()) check_ability("schedule", Ability::schedules, "schedules");
        if (scene_.bodies.empty() && scene_.fluids.empty())
            wrong("body", "the scene has no body: add a [[body]] table");
    }

    void check_spacings() {
        std::optional<Real> first;
        const auto check = [&](const std::string& path, Real spacing) {
            if (!first) first = spacing;
            if (std::abs(spacing - *first) <= 1e-6 * *first) return;
            wrong(path + ".spacing",
                  "is {:g} m, and {:g} m before: the method '{}' needs one spacing for all bodies and fluids", spacing,
                  *first, scene_.simulation.method);
        };
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
            check(fmt::format("body.{}", i), scene_.bodies[i].spacing);
        for (std::size_t i = 0; i < scene_.fluids.size(); ++i)
            check(fmt::format("fluid.{}", i), scene_.fluids[i].spacing);
    }

    bool has_rest_grid() const { return scene_.simulation.method == "mpm" && scene_.mpm.grid == "rest"; }

    // An unknown method is reported elsewhere.
    void check_ability(const std::string& path, Ability ability, const char* what) {
        for (const MethodKind& kind : method_list()) {
            if (kind.name != scene_.simulation.method || kind.can(ability)) continue;
            const auto able = methods_that_can(ability);
            wrong(path, "the method '{}' has no {}: {}leave them out", kind.name, what,
                  able.empty() ? "" : fmt::format("take the method {}, or ", fmt::join(able, " or ")));
        }
    }

    // Only of materials that a body is made of: a scene may bring a list of them along.
    void check_material(const MaterialSettings& material) {
        const bool is_used = std::any_of(scene_.bodies.begin(), scene_.bodies.end(),
                                         [&](const BodySettings& body) { return body.material == material.name; });
        if (!is_used) return;
        const std::string path = "material." + material.name;
        if (material.elastic == CorotatedElasticity::name) {
            check_ability(path + ".elastic", Ability::elastic_laws, "elastic laws but 'hencky' and 'neo_hookean'");
        }
        if (material.elastic == NeoHookeanElasticity::name && material.plastic) {
            check_ability(path + ".elastic", Ability::elastic_laws, "elastic laws but 'hencky' for what flows");
        }
        if (has_rest_grid() && material.plastic) {
            wrong(path + ".plastic",
                  "mpm.grid = \"rest\" is for elastic bodies: leave this out, or set it to \"moving\"");
        }
        if (material.viscous) check_ability(path + ".viscous", Ability::viscous, "materials with a viscous part");
        if (!material.plastic) return;
        if (std::holds_alternative<DruckerPragerPlasticity>(*material.plastic) ||
            std::holds_alternative<SnowPlasticity>(*material.plastic)) {
            check_ability(path + ".plastic", Ability::granular, "granular materials");
        }
        if (std::holds_alternative<Bargteil2007Plasticity>(*material.plastic)) {
            check_ability(path + ".plastic", Ability::flow_rates, "plastic flow by a rate, as 'bargteil2007' has it");
        }
    }

    void check_body(std::size_t i) {
        const BodySettings& body = scene_.bodies[i];
        const std::string path = fmt::format("body.{}", i);
        std::vector<std::string> materials;
        for (const MaterialSettings& material : scene_.materials) materials.push_back(material.name);
        if (body.material.empty()) {
            wrong(path + ".material", "names no material");
        } else if (std::find(materials.begin(), materials.end(), body.material) == materials.end()) {
            if (materials.empty()) {
                wrong(path + ".material", "there is no material '{}': add a table [material.{}]", body.material,
                      body.material);
            } else {
                wrong(path + ".material", "there is no material '{}'{}", body.material,
                      suggestion(body.material, materials));
            }
        }
        check_name(path, body.name);
        if (body.shape) {
            check_bounded(path, *body.shape);
        } else if (body.rig.empty() && !is_poured(body.name)) {
            wrong(path + ".shape", "has no shape and no emitter pours it: add shape = {{ box = ... }}");
        }
        if (!body.rig.empty()) check_ability(path + ".rig", Ability::rigs, "rigs");
        if (!body.rig.empty() && body.skin_resolution)
            wrong(path + ".skin_resolution", "a rig brings its own skin: leave this out");
        if (!body.groups.empty()) check_ability(path + ".group", Ability::rigs, "rigid groups");
        check_colour(path + ".colour", body.colour);
    }

    void check_fluid(std::size_t i) {
        const FluidSettings& fluid = scene_.fluids[i];
        const std::string path = fmt::format("fluid.{}", i);
        check_name(path, fluid.name);
        if (fluid.shape) {
            check_bounded(path, *fluid.shape);
        } else if (!is_poured(fluid.name)) {
            wrong(path + ".shape", "has no shape and no emitter pours it: add shape = {{ box = ... }}");
        }
        check_colour(path + ".colour", fluid.colour);
    }

    bool is_poured(const std::string& name) const {
        return std::any_of(scene_.emitters.begin(), scene_.emitters.end(),
                           [&](const EmitterSettings& emitter) { return emitter.pours() == name; });
    }

    void check_emitter(std::size_t i) {
        const EmitterSettings& emitter = scene_.emitters[i];
        const bool is_fluid = !emitter.fluid.empty();
        const char* kind = is_fluid ? "fluid" : "body";
        const std::string path = fmt::format("emitter.{}.{}", i, kind);
        std::vector<std::string> names;
        for (const FluidSettings& fluid : scene_.fluids) {
            if (is_fluid) names.push_back(fluid.name);
        }
        for (const BodySettings& body : scene_.bodies) {
            if (!is_fluid) names.push_back(body.name);
        }
        if (!is_fluid) {
            check_ability(path, Ability::pouring, "emitters of what bodies are made of");
            if (has_rest_grid())
                wrong(path, "mpm.grid = \"rest\" is for bodies that are whole: leave it out, or set it to \"moving\"");
        }
        if (std::find(names.begin(), names.end(), emitter.pours()) != names.end()) return;
        wrong(path, "there is no {} '{}'{}", kind, emitter.pours(),
              names.empty() ? fmt::format(": add a [[{}]] table", kind) : suggestion(emitter.pours(), names));
    }

    void check_rigid(std::size_t i) {
        const RigidSettings& rigid = scene_.rigids[i];
        const std::string path = fmt::format("rigid.{}", i);
        check_name(path, rigid.name);
        if (std::holds_alternative<PlaneShape>(rigid.shape)) {
            wrong(path + ".shape", "a plane has no end and no mass: use a box, or make it a collider");
        }
        check_colour(path + ".colour", rigid.colour);
    }

    void check_schedules() {
        const auto schedules = build_schedules(scene_, [&](std::size_t i, const std::string& problem) {
            wrong(fmt::format("schedule.{}.parameter", i), "{}", problem);
        });
        for (const MaterialSchedule& schedule : schedules) {
            if (schedule.changes_flow()) check_ability("schedule", Ability::flow_changes, "schedules of what flows");
            if (has_rest_grid() && schedule.melts()) {
                wrong(
                    "schedule",
                    "mpm.grid = \"rest\" is for bodies that stay solid: keep the shear modulus of '{}' above 0, or set "
                    "it to \"moving\"",
                    scene_.materials[schedule.material].name);
            }
        }
    }

    void check_name(const std::string& path, const std::string& name) {
        if (!names_.insert(name).second) wrong(path + ".name", "two bodies are called '{}'", name);
    }

    void check_bounded(const std::string& path, const ShapeSettings& shape) {
        if (!std::holds_alternative<PlaneShape>(shape)) return;
        wrong(path + ".shape", "a plane has no end and cannot be filled with particles: use a box");
    }

    void check_pin(std::size_t i) {
        const PinSettings& pin = scene_.pins[i];
        std::vector<std::string> bodies;
        for (const BodySettings& body : scene_.bodies) bodies.push_back(body.name);
        for (const FluidSettings& fluid : scene_.fluids) bodies.push_back(fluid.name);
        if (!pin.body.empty() && std::find(bodies.begin(), bodies.end(), pin.body) == bodies.end()) {
            wrong(fmt::format("pin.{}.body", i), "there is no body '{}'{}", pin.body, suggestion(pin.body, bodies));
        }
    }

    void check_colour(const std::string& path, const std::string& colour) {
        const bool good =
            colour.empty() || (colour.size() == 7 && colour[0] == '#' &&
                               colour.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos);
        if (!good) wrong(path, "'{}' is not a colour: write it like \"#e8413b\"", colour);
    }

    const Scene& scene_;
    std::set<std::string> names_;
    std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check_scene(const Scene& scene) {
    return Checker(scene).run();
}

}  // namespace pliant
