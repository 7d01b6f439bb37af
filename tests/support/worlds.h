// Worlds from the text of a scene.
#pragma once

#include <string>

#include "pliant/scene/scene_file.h"
#include "pliant/scene/world.h"

namespace pliant {

inline World world_of(const std::string& text, int threads = 2) {
    WorldOptions options;
    options.threads = threads;
    return World(parse_scene(text, "test", "."), options);
}

inline void run_until(World& world, Real time) {
    while (world.time() < time - 1e-9) world.step();
}

}  // namespace pliant
