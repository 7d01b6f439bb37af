// A scene as plain settings: what a scene file says, or what a program builds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/contact/collider.h"
#include "pliant/contact/field.h"
#include "pliant/contact/pin.h"
#include "pliant/contact/rigid.h"
#include "pliant/materials/material.h"
#include "pliant/materials/schedule.h"
#include "pliant/methods/emitter.h"
#include "pliant/methods/mls/settings.h"
#include "pliant/methods/mpm/settings.h"
#include "pliant/methods/oriented/rig_groups.h"
#include "pliant/methods/oriented/settings.h"
#include "pliant/methods/sph/settings.h"
#include "pliant/output/render_settings.h"
#include "pliant/scene/fluid.h"
#include "pliant/shapes/shapes.h"

namespace pliant {

struct SimulationSettings {
    std::string method = "mls";
    std::string integrator;  // empty: the method's first
    Real duration = 2;
    Real fps = 60;
    std::optional<Real> timestep;
    Vec3 gravity{0, -9.81, 0};
    Real friction = 0.3;

    static const FieldTable& fields();
};

struct BodySettings {
    std::string name;
    std::optional<ShapeSettings> shape;  // none: it is a rig, or empty until an emitter pours it
    std::string material;
    Real spacing = 0.01;
    std::string sampling = "cubic";
    int seed = 0;
    std::string rig;
    std::optional<Real> skin_resolution;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();
    Vec3 angular_velocity = Vec3::Zero();
    std::string colour;
    std::vector<RigGroupSettings> groups;

    static const FieldTable& fields();
};

struct OutputSettings {
    bool particles = true;
    std::string format = "ply";
    int checkpoint_every = 10;
    bool report = true;

    static const FieldTable& fields();
};

struct Scene {
    SimulationSettings simulation;
    MlsSettings mls;
    OrientedSettings oriented;
    SphSettings sph;
    MpmSettings mpm;
    std::vector<MaterialSettings> materials;
    std::vector<BodySettings> bodies;
    std::vector<FluidSettings> fluids;
    std::vector<EmitterSettings> emitters;
    std::vector<RigidSettings> rigids;
    std::vector<ColliderSettings> colliders;
    std::vector<PinSettings> pins;
    std::vector<FieldSettings> fields;
    std::vector<ScheduleSettings> schedules;
    OutputSettings output;
    RenderSettings render;

    std::filesystem::path folder;  // that relative paths refer to; not part of the file

    int frame_count() const;  // frames after the first
    Real frame_duration() const { return 1 / simulation.fps; }
};

// One thing that is wrong, and where: a dotted path of keys such as "body.0.material".
struct Problem {
    std::string path;
    std::string message;
};

// Fills in what was left to us: the method's integrator, names of bodies and colliders.
void fill_in_names(Scene& scene);

// What is wrong with a scene that reads well: names that nobody bears, duplicates, what the method cannot do.
std::vector<Problem> check_scene(const Scene& scene);

}  // namespace pliant
