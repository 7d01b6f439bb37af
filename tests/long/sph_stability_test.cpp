// Blocks, sheets and strings dropped on a floor: none blows up, from very soft to very stiff, at short and long steps.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "pliant/scene/scene_file.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

TEST(SphStability, NothingBlowsUpOnTheFloor) {
    for (const char* size : {"0.3, 0.3, 0.3", "0.5, 0.05, 0.5", "0.8, 0.05, 0.05"}) {
        for (const char* sampling : {"cubic", "blue_noise"}) {
            for (const Real modulus : {5e2, 1e4, 1e5, 1e6, 2e7, 2e8, 2e9}) {
                for (const Real dt : {1e-3, 3e-3, 1e-2}) {
                    const std::string what = fmt::format("{}, {}, {:g} Pa, {:g} s", size, sampling, modulus, dt);
                    const std::string text = fmt::format(
                        "[simulation]\nmethod = \"sph\"\nduration = 1\nfps = 20\ntimestep = {}\n"
                        "[material.m]\ndensity = 1000\nshear = {}\nbulk = {}\n"
                        "[[body]]\nshape = {{ box = [{}] }}\nsampling = \"{}\"\nspacing = 0.05\nmaterial = \"m\"\n"
                        "position = [0, 0.5, 0]\nrotation = [20, 30, 15]\n[[collider]]\nshape = {{ plane = [0, 1, 0] "
                        "}}\n",
                        dt, modulus, modulus, size, sampling);
                    World world(parse_scene(text, "test", "."));
                    ASSERT_NO_THROW({
                        while (world.time() < 1 - 1e-9) world.step();
                    }) << what;
                    // Not faster than what fell so far.
                    EXPECT_LT(world.diagnostics().largest_speed, 3.2) << what;
                }
            }
        }
    }
}

}  // namespace
}  // namespace pliant
