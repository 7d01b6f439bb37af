// What a program of somebody else's looks like: a scene built in code, stepped, and looked at.
#include <cstdio>

#include "pliant/scene/world.h"

int main() {
    pliant::MaterialSettings jelly;
    jelly.name = "jelly";
    jelly.young = 2e4;
    jelly.poisson = 0.3;
    pliant::BodySettings cube;
    cube.shape = pliant::BoxShape{{0.1, 0.1, 0.1}};
    cube.material = "jelly";
    cube.spacing = 0.02;
    cube.position = {0, 0.06, 0};
    pliant::ColliderSettings floor;
    floor.shape = pliant::PlaneShape{};
    pliant::Scene scene;
    scene.simulation.duration = 0.2;
    scene.materials = {jelly};
    scene.bodies = {cube};
    scene.colliders = {floor};

    pliant::World world(scene);
    while (world.frame() < world.scene().frame_count()) world.advance_frame();
    const pliant::Box box = bounds(world.state());
    std::printf("%zu particles, %lld steps, from %.3f m to %.3f m\n", world.state().size(),
                static_cast<long long>(world.steps()), box.min().y(), box.max().y());
    const bool fell_and_rests = box.min().y() > 0.005 && box.min().y() < 0.015 && box.max().y() < 0.1;
    return world.model().colliders.size() == 1 && fell_and_rests ? 0 : 1;
}
