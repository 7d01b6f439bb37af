// Skinning of a mesh of 63,000 vertices on 300 frames, positions and normals: beside Eigen's JacobiSVD of one matrix
// (u) and a plain copy, as measures of the machine.
#include <benchmark/benchmark.h>

#include <random>

#include "benchmarks/block.h"
#include "pliant/geometry/skin_weights.h"
#include "pliant/math/svd_unit.h"

namespace pliant {
namespace {

constexpr int frame_count = 300;

// A tube along z; the frames stand along it, and vertices hang on the four nearest, as on a real limb.
struct Limb {
    TriangleMesh mesh;
    SkinWeights weights;
};
Limb limb(int rings, int around) {
    Limb result;
    for (int n = 0; n < rings * around; ++n) {
        const Real turn = 2 * pi * (n % around) / around, z = Real(n / around) / rings;
        result.mesh.vertices.emplace_back(0.05 * std::cos(turn), 0.05 * std::sin(turn), z);
        const int first = std::clamp(int(z * frame_count) - 1, 0, frame_count - 4);
        std::array<std::uint32_t, 4> frame;
        for (int k = 0; k < 4; ++k) frame[k] = std::uint32_t(first + k);
        result.weights.frame.push_back(frame);
        result.weights.weight.push_back({0.4f, 0.3f, 0.2f, 0.1f});
    }
    for (int r = 0; r + 1 < rings; ++r) {
        for (int k = 0; k < around; ++k) {
            const int a = r * around + k, b = r * around + (k + 1) % around;
            result.mesh.triangles.push_back({a, b, b + around});
            result.mesh.triangles.push_back({a, b + around, a + around});
        }
    }
    return result;
}

std::vector<SkinFrame> random_frames() {
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    std::vector<SkinFrame> frames(frame_count);
    for (SkinFrame& f : frames) {
        f.rotation = Eigen::Quaternionf(normal(engine), normal(engine), normal(engine), normal(engine)).normalized();
        f.translation = 0.1f * Eigen::Vector3f(normal(engine), normal(engine), normal(engine));
    }
    return frames;
}

// Seconds of the quickest of many runs: what the machine can do when nobody disturbs it.
template <class Work>
double quickest(int runs, Work&& work) {
    double best = 1e30;
    for (int i = 0; i < runs; ++i) {
        const Stopwatch watch;
        work();
        best = std::min(best, watch.seconds());
    }
    return best;
}

// Bytes a second of a plain copy that moves as many bytes as the skin does: of caches, where the skin fits into them.
double copy_bandwidth_of(double bytes) {
    constexpr std::size_t block = std::size_t(1) << 17;
    const auto size = static_cast<std::size_t>(bytes / 2);
    std::vector<char> from(size, 1), to(size, 2);
    return bytes / quickest(100, [&] {
               parallel_blocks(size, block, [&](std::size_t begin, std::size_t end) {
                   std::memcpy(&to[begin], &from[begin], end - begin);
               });
               benchmark::DoNotOptimize(to.data());
           });
}

using Blend = void (Skin::*)(std::span<const SkinFrame>, std::span<Eigen::Vector3f>, std::span<Eigen::Vector3f>);

// Arguments: vertices around the tube, threads.
void skin_limb(benchmark::State& state, Blend blend) {
    const Limb body = limb(1000, static_cast<int>(state.range(0)));
    const std::vector<SkinFrame> frames = random_frames();
    Skin skin(body.mesh, body.weights, frame_count);
    const std::size_t count = skin.vertex_count();
    std::vector<Eigen::Vector3f> positions(count), normals(count);
    Threads threads(static_cast<int>(state.range(1)));
    threads.run([&] {
        double seconds = 1e30;
        for (auto _ : state) {
            seconds = std::min(seconds, quickest(1, [&] { (skin.*blend)(frames, positions, normals); }));
        }
        const double bytes = double(count) * double(skin.bytes_a_vertex() + 2 * sizeof(Eigen::Vector3f));
        const double u = seconds_of_one_svd();
        state.counters["u_ns"] = u * 1e9;
        state.counters["in_u"] = seconds / u;
        state.counters["copy_share"] = bytes / seconds / copy_bandwidth();
        state.counters["same_size_copy_share"] = bytes / seconds / copy_bandwidth_of(bytes);
        state.counters["GB/s"] = bytes / seconds * 1e-9;
        state.counters["vertices/s"] = double(count) / seconds;
    });
}
void Linear(benchmark::State& state) {
    skin_limb(state, &Skin::linear);
}
void DualQuaternion(benchmark::State& state) {
    skin_limb(state, &Skin::dual_quaternion);
}
BENCHMARK(Linear)->ArgsProduct({{63, 1000}, {1, 2}})->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(DualQuaternion)->ArgsProduct({{63, 1000}, {1, 2}})->UseRealTime()->Unit(benchmark::kMicrosecond);

// Points along the axis of the same tube, each linked to the next.
void Weights(benchmark::State& state) {
    const Limb body = limb(1000, 63);
    std::vector<Vec3> points;
    std::vector<std::array<std::uint32_t, 2>> links;
    for (std::uint32_t p = 0; p < frame_count; ++p) {
        points.emplace_back(0, 0, (p + 0.5) / frame_count);
        if (p > 0) links.push_back({p - 1, p});
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(geodesic_weights(body.mesh, points, links, 1.0 / frame_count));
    }
}
BENCHMARK(Weights)->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant
