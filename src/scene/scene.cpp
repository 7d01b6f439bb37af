#include "pliant/scene/scene.h"

#include <cmath>

#include "pliant/output/particle_format.h"
#include "pliant/scene/method_list.h"

namespace pliant {

const FieldTable& SimulationSettings::fields() {
    using S = SimulationSettings;
    static const FieldTable table = {
        field("method", &S::method, "", "how it is computed").one_of(method_names()),
        field("integrator", &S::integrator, "",
              "how the method steps through time; auto: whichever is cheaper for this scene")
            .one_of(integrator_names()),
        field("duration", &S::duration, "s", "how long").above(0).at_most(1e5),
        field("fps", &S::fps, "1/s", "frames a second of simulated time").above(0).at_most(1e6),
        field("timestep", &S::timestep, "s",
              "longest step; a frame is cut into equal steps no longer than this; left out: the method's own choice")
            .above(0)
            .at_most(1),
        field("gravity", &S::gravity, "m/s^2", "pull on everything").at_least(-1e4).at_most(1e4),
        field("friction", &S::friction, "", "Coulomb's coefficient between bodies").at_least(0).at_most(100),
    };
    return table;
}

const FieldTable& BodySettings::fields() {
    using S = BodySettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages and files call it; left out: body1, body2, ..."),
        field("material", &S::material, "", "one of the scene's materials").required(),
        field("spacing", &S::spacing, "m", "between particles").above(0).at_most(1e3).required(),
        field("sampling", &S::sampling, "", "how particles fill the shape").one_of({"cubic", "bcc", "blue_noise"}),
        field("seed", &S::seed, "", "another number gives another blue noise").at_least(0),
        field(
            "rig", &S::rig, "",
            "method oriented: file of particles, links, groups and skin, made by hand or by pliant model; empty: made "
            "from the shape, particles a spacing apart"),
        field("skin_resolution", &S::skin_resolution, "m",
              "method oriented: length of edges of the skin that is made from the shape, of which none is longer than "
              "twice this; left out: a fifth of spacing, or as the mesh is")
            .above(0)
            .at_most(1e3),
        field("position", &S::position, "m", "where the shape's centre begins").at_least(-1e6).at_most(1e6),
        field("rotation", &S::rotation, "degree", "turn about x, then y, then z"),
        field("velocity", &S::velocity, "m/s", "at the start").at_least(-1e5).at_most(1e5),
        field("angular_velocity", &S::angular_velocity, "rad/s", "at the start, about the centre of mass")
            .at_least(-1e5)
            .at_most(1e5),
        field("colour", &S::colour, "", "as drawn, \"#rrggbb\"; empty: the next of a palette"),
    };
    return table;
}

const FieldTable& OutputSettings::fields() {
    using S = OutputSettings;
    static const FieldTable table = {
        field("particles", &S::particles, "", "write the particles of every frame"),
        field("format", &S::format, "", "of the particle files").one_of([] {
            std::vector<std::string> names;
            for (const ParticleFormat& format : particle_formats()) names.push_back(format.name);
            return names;
        }()),
        field("checkpoint_every", &S::checkpoint_every, "frames",
              "from one checkpoint to the next; 0: only when interrupted")
            .at_least(0),
        field("report", &S::report, "", "write report.html at the end"),
    };
    return table;
}

void fill_in_names(Scene& scene) {
    if (scene.simulation.integrator.empty()) {
        for (const MethodKind& kind : method_list()) {
            if (kind.name == scene.simulation.method) scene.simulation.integrator = kind.integrators.front();
        }
    }
    const auto fill = [](auto& list, const char* word) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (list[i].name.empty()) list[i].name = word + std::to_string(i + 1);
        }
    };
    fill(scene.bodies, "body");
    fill(scene.fluids, "fluid");
    fill(scene.emitters, "emitter");
    fill(scene.rigids, "rigid");
    fill(scene.colliders, "collider");
    fill(scene.pins, "pin");
    fill(scene.fields, "field");
}

int Scene::frame_count() const {
    return std::max(1, static_cast<int>(std::ceil(simulation.duration * simulation.fps - 1e-6)));
}

}  // namespace pliant
