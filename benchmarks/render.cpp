// A picture of 1280 x 720 of a block of 100,000 particles on the floor, on two threads: from the frame to the pixels,
// the tree of the ray tracer included. The promise is 3 s.
#include <benchmark/benchmark.h>

#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/output/renderer.h"

namespace pliant {
namespace {

// A block twice as high as wide, twisted so that the particles are not in line with the pixels.
ParticleFrame twisted_block(int width) {
    ParticleFrame frame;
    const float spacing = 0.1f / float(width);
    ParticleQuantity stress{"stress", "Pa", {}};
    for (int j = 0; j < 2 * width; ++j) {
        const Eigen::Matrix3f turn =
            Eigen::AngleAxisf(0.7f * float(j) / float(width), Eigen::Vector3f::UnitY()).toRotationMatrix();
        for (int i = 0; i < width; ++i) {
            for (int k = 0; k < width; ++k) {
                const Eigen::Vector3f x(float(i) - 0.5f * float(width), float(j) + 0.5f,
                                        float(k) - 0.5f * float(width));
                frame.position.push_back(spacing * (turn * x));
                frame.deformation.push_back(turn * Eigen::Vector3f(1.1f, 0.9f, 1.0f).asDiagonal());
                stress.values.push_back(x.norm());
            }
        }
    }
    const std::size_t n = frame.position.size();
    frame.velocity.assign(n, Eigen::Vector3f::Zero());
    frame.id.assign(n, 0);
    frame.body.assign(n, 0);
    frame.radius.assign(n, spacing / 2);
    frame.quantities = {stress};
    return frame;
}

void draw(benchmark::State& state, const std::string& style) {
    const ParticleFrame frame = twisted_block(37);
    RenderSettings settings;
    settings.style = style;
    settings.colour_by = "stress";
    Threads threads(2);
    for (auto _ : state) {
        threads.run([&] {
            RenderScene scene = make_render_scene(frame, settings);
            scene.planes.emplace_back();
            const Image image = render(scene, settings);
            benchmark::DoNotOptimize(image.rgb.data());
        });
    }
    state.counters["particles"] = double(frame.size());
}

BENCHMARK_CAPTURE(draw, spheres, "spheres")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(draw, ellipsoids, "ellipsoids")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(draw, surface, "surface")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pliant
