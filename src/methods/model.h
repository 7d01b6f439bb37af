// What stays the same while a simulation runs: the other half of ParticleState.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/contact/collider.h"
#include "pliant/contact/field.h"
#include "pliant/contact/pin.h"
#include "pliant/contact/rigid.h"
#include "pliant/materials/liquid.h"
#include "pliant/materials/material.h"
#include "pliant/materials/schedule.h"
#include "pliant/methods/emitter.h"

namespace pliant {

struct Rig;

struct BodyModel {
    std::string name;
    std::size_t material = 0;                     // index into Model::materials
    Real spacing = 0;                             // between particles at rest [m]
    std::shared_ptr<const Rig> rig = nullptr;     // what particles with orientation are made from; null without
    std::optional<Liquid> liquid = std::nullopt;  // of a liquid: its material has this density and no stiffness
};

struct Model {
    Vec3 gravity = Vec3::Zero();  // m/s^2
    Real body_friction = 0;       // Coulomb's coefficient between bodies
    std::vector<Material> materials;
    std::vector<BodyModel> bodies;  // solid ones first, then liquids
    std::vector<Collider> colliders;
    std::vector<Pin> pins;
    std::vector<FieldSettings> fields;
    std::vector<MaterialSchedule> schedules;  // at most one a material; see scheduled_material.h
    std::vector<RigidModel> rigids;
    std::vector<EmitterModel> emitters;

    const Material& material_of(std::size_t body) const { return materials[bodies[body].material]; }
};

}  // namespace pliant
