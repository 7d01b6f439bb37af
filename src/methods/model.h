// What stays the same while a simulation runs: the other half of ParticleState.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pliant/contact/collider.h"
#include "pliant/contact/field.h"
#include "pliant/contact/pin.h"
#include "pliant/materials/material.h"

namespace pliant {

struct Rig;

struct BodyModel {
    std::string name;
    std::size_t material = 0;                  // index into Model::materials
    Real spacing = 0;                          // between particles at rest [m]
    std::shared_ptr<const Rig> rig = nullptr;  // what particles with orientation are made from; null without
};

struct Model {
    Vec3 gravity = Vec3::Zero();  // m/s^2
    Real body_friction = 0;       // Coulomb's coefficient between bodies
    std::vector<Material> materials;
    std::vector<BodyModel> bodies;
    std::vector<Collider> colliders;
    std::vector<Pin> pins;
    std::vector<FieldSettings> fields;

    const Material& material_of(std::size_t body) const { return materials[bodies[body].material]; }
};

}  // namespace pliant
