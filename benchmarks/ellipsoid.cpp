// Contacts of pairs of ellipsoids, one thread: one by one in double, in packs, and against Eigen's JacobiSVD of one
// matrix as a measure of the machine.
#include "pliant/geometry/ellipsoid.h"
#include "pliant/math/svd_unit.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

namespace pliant {
namespace {

constexpr int count = 1024;

template <class P>
struct PairOf {
    WideVec3<P> offset;
    EllipsoidShape<P> first, second;

    P* data() { return reinterpret_cast<P*>(this); }
};
constexpr int numbers = 15;

EllipsoidShape<Real> random_shape(std::mt19937& engine) {
    std::normal_distribution<Real> normal;
    std::uniform_real_distribution<Real> exponent(-1, 0);
    const Mat3 R = Quat(normal(engine), normal(engine), normal(engine), normal(engine)).normalized().toRotationMatrix();
    const Vec3 radii = Vec3::NullaryExpr([&] { return std::pow(4, exponent(engine)); });
    return ellipsoid_shape(R * radii.cwiseAbs2().asDiagonal() * R.transpose());
}
// Radii of up to 1:4, all angles.
std::vector<PairOf<Real>> random_pairs() {
    std::mt19937 engine(1);
    std::normal_distribution<Real> normal;
    std::vector<PairOf<Real>> result(count);
    for (auto& p : result) {
        p = {{normal(engine), normal(engine), normal(engine)}, random_shape(engine), random_shape(engine)};
    }
    return result;
}
template <class P>
std::vector<PairOf<P>> packed(std::vector<PairOf<Real>> pairs) {
    using T = typename P::Scalar;
    std::vector<PairOf<P>> result(count / P::width);
    for (int i = 0; i < count; ++i) {
        P* to = result[i / P::width].data();
        for (int k = 0; k < numbers; ++k) to[k].set(i % P::width, T(pairs[i].data()[k]));
    }
    return result;
}

template <class P>
void contacts(const std::vector<PairOf<P>>& pairs) {
    for (const auto& p : pairs) {
        EllipsoidContact<P> c = ellipsoid_contact(p.offset, p.first, p.second);
        benchmark::DoNotOptimize(c);
    }
}
template <class P>
void contacts_fast(const std::vector<PairOf<P>>& pairs, int iterations) {
    for (const auto& p : pairs) {
        EllipsoidContact<P> c = ellipsoid_contact_fast(p.offset, p.first, p.second, iterations);
        benchmark::DoNotOptimize(c);
    }
}
void ContactOneByOne(benchmark::State& state) {
    const auto pairs = random_pairs();
    for (auto _ : state) contacts(pairs);
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(ContactOneByOne);

void ContactOfPack(benchmark::State& state) {
    const auto pairs = packed<Double4>(random_pairs());
    for (auto _ : state) contacts(pairs);
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(ContactOfPack);

template <class P>
void FastContactOfPack(benchmark::State& state) {
    const auto pairs = packed<P>(random_pairs());
    for (auto _ : state) contacts_fast(pairs, static_cast<int>(state.range(0)));
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(FastContactOfPack<Float8>)->Arg(1)->Arg(2)->Arg(3)->Arg(4);
BENCHMARK(FastContactOfPack<Float8Pair>)->Arg(1)->Arg(2)->Arg(3)->Arg(4);
BENCHMARK(FastContactOfPack<Double4>)->Arg(3);

// Processor time of the quickest of a few runs, in ns an item: what the machine can do when nobody disturbs it.
template <class Work>
double quickest(Work&& work) {
    constexpr int runs = 20;
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 15; ++i) {
        const std::clock_t start = std::clock();
        for (int k = 0; k < runs; ++k) work();
        best = std::min(best, std::clock() - start);
    }
    return static_cast<double>(best) * 1e9 / CLOCKS_PER_SEC / (runs * count);
}
void NanosecondsAPair(benchmark::State& state) {
    const auto pairs = random_pairs();
    const auto doubles = packed<Double4>(pairs);
    const auto floats = packed<Float8>(pairs);
    const auto float_pairs = packed<Float8Pair>(pairs);
    for (auto _ : state) {
        state.counters["svd_eigen"] = 1e9 * seconds_of_one_svd();
        state.counters["double"] = quickest([&] { contacts(pairs); });
        state.counters["double4"] = quickest([&] { contacts(doubles); });
        state.counters["float8_fast"] = quickest([&] { contacts_fast(floats, 3); });
        state.counters["float8_pair_fast"] = quickest([&] { contacts_fast(float_pairs, 3); });
    }
}
BENCHMARK(NanosecondsAPair)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant
