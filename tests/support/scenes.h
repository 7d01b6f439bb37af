// Small scenes that several tests begin from.
#pragma once

#include "pliant/scene/scene.h"

namespace pliant {

// A cube of 5 x 5 x 5 particles at a height of 0.3 m, with nothing below it.
inline Scene falling_box() {
    Scene scene;
    MaterialSettings rubber;
    rubber.name = "rubber";
    rubber.young = 1e5;
    rubber.poisson = 0.3;
    scene.materials.push_back(rubber);
    BodySettings box;
    box.name = "box";
    box.shape = BoxShape{Vec3(0.1, 0.1, 0.1)};
    box.spacing = 0.02;
    box.material = "rubber";
    box.position = {0, 0.3, 0};
    scene.bodies.push_back(box);
    return scene;
}

inline ColliderSettings ground() {
    ColliderSettings plane;
    plane.name = "ground";
    plane.shape = PlaneShape{};
    return plane;
}

// The cube above a floor, plastic, so that every part of a step has work.
inline Scene dropped_box() {
    Scene scene = falling_box();
    scene.colliders.push_back(ground());
    scene.bodies[0].position = {0, 0.08, 0};
    scene.bodies[0].rotation = {10, 20, 30};
    scene.bodies[0].velocity = {0.2, -2, 0};
    Bargteil2007Plasticity plastic;
    plastic.yield_stress = 1e3;
    scene.materials[0].plastic = plastic;
    return scene;
}

}  // namespace pliant
