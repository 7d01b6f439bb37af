// Singular values of many 3x3 matrices, one thread: packs of ours against Eigen's JacobiSVD one by one.
#include "pliant/math/svd.h"

#include <benchmark/benchmark.h>

#include <Eigen/SVD>
#include <algorithm>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pliant/math/rotation.h"

namespace pliant {
namespace {

constexpr int count = 1024;

// Entries of a normal distribution: all angles, condition numbers of about ten.
template <class T>
std::vector<Eigen::Matrix<T, 3, 3>> random_matrices() {
    std::mt19937 engine(1);
    std::normal_distribution<Real> normal;
    std::vector<Eigen::Matrix<T, 3, 3>> result(count);
    for (auto& A : result) A = Mat3::NullaryExpr([&] { return normal(engine); }).template cast<T>();
    return result;
}

// What a simulation sees: a rotation, and a stretch of some percent.
std::vector<Mat3> deformation_gradients() {
    std::vector<Mat3> result = random_matrices<Real>();
    for (Mat3& A : result) A = svd(A).U * (Mat3::Identity() + 0.05 * A);
    return result;
}

void decompose_by_eigen(const std::vector<Mat3>& matrices) {
    for (const Mat3& A : matrices) {
        Eigen::JacobiSVD<Mat3> s(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
        benchmark::DoNotOptimize(s);
    }
}

template <class T>
void decompose(const std::vector<Eigen::Matrix<T, 3, 3>>& matrices, std::vector<SvdOf<T>>& results) {
    svd(std::span<const Eigen::Matrix<T, 3, 3>>(matrices), std::span<SvdOf<T>>(results));
    benchmark::ClobberMemory();
}

void SvdByEigen(benchmark::State& state) {
    const auto matrices = random_matrices<double>();
    for (auto _ : state) decompose_by_eigen(matrices);
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(SvdByEigen);

template <class T>
void SvdOfArray(benchmark::State& state) {
    const auto matrices = random_matrices<T>();
    std::vector<SvdOf<T>> results(count);
    for (auto _ : state) decompose(matrices, results);
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(SvdOfArray<double>);
BENCHMARK(SvdOfArray<float>);

template <class P>
void SvdOfPack(benchmark::State& state) {
    const auto matrices = random_matrices<typename P::Scalar>();
    for (auto _ : state) {
        for (int i = 0; i < count; i += P::width) {
            WideSvd<P> s = svd(load_matrices<P>(&matrices[i]));
            benchmark::DoNotOptimize(s);
        }
    }
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(SvdOfPack<Double4>);
BENCHMARK(SvdOfPack<Float8>);

void SvdOneByOne(benchmark::State& state) {
    const auto matrices = random_matrices<double>();
    for (auto _ : state) {
        for (const Mat3& A : matrices) {
            Svd s = svd(A);
            benchmark::DoNotOptimize(s);
        }
    }
    state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(SvdOneByOne);

// Processor time of the quickest of a few runs: what the machine can do when nobody disturbs it.
template <class Work>
double quickest(Work&& work) {
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 9; ++i) {
        const std::clock_t start = std::clock();
        for (int k = 0; k < 20; ++k) work();
        best = std::min(best, std::clock() - start);
    }
    return static_cast<double>(best);
}

// How many times as many matrices a second as Eigen in double.
void report_speedup(benchmark::State& state, const std::string& kind, const std::vector<Mat3>& matrices) {
    std::vector<Eigen::Matrix3f> single;
    for (const Mat3& A : matrices) single.push_back(A.cast<float>());
    std::vector<Svd> results(count);
    std::vector<Svdf> single_results(count);
    const double eigen = quickest([&] { decompose_by_eigen(matrices); });
    state.counters[kind + "_double"] = eigen / quickest([&] { decompose(matrices, results); });
    state.counters[kind + "_float"] = eigen / quickest([&] { decompose(single, single_results); });
}
void SpeedupOverEigen(benchmark::State& state) {
    for (auto _ : state) {
        report_speedup(state, "random", random_matrices<double>());
        report_speedup(state, "gradients", deformation_gradients());
    }
}
BENCHMARK(SpeedupOverEigen)->Iterations(1)->Unit(benchmark::kMillisecond);

// A rotation from one that is `angle` off [in 1/1000 rad].
template <class P>
void NearestRotationFromNearStart(benchmark::State& state) {
    using T = typename P::Scalar;
    const auto gradients = deformation_gradients();
    std::vector<Eigen::Matrix<T, 3, 3>> matrices;
    for (const Mat3& A : gradients) {
        const Svd s = svd(A);
        matrices.push_back((s.V * s.U.transpose() * A).cast<T>());
    }
    const T half = T(state.range(0)) / 2000;
    const WideQuat<P> start = {std::cos(half), std::sin(half), 0, 0};
    const T tolerance = sizeof(T) == 4 ? T(1e-3) : T(1e-6);
    T iterations = 0;
    for (auto _ : state) {
        iterations = 0;
        for (int i = 0; i < count; i += P::width) {
            auto fit = nearest_rotation<P>(load_matrices<P>(&matrices[i]), start, tolerance);
            iterations += sum(fit.iterations);
            benchmark::DoNotOptimize(fit);
        }
    }
    state.SetItemsProcessed(state.iterations() * count);
    state.counters["iterations"] = iterations / count;
}
BENCHMARK(NearestRotationFromNearStart<Double4>)->Arg(1)->Arg(50)->Arg(300);
BENCHMARK(NearestRotationFromNearStart<Float8>)->Arg(1)->Arg(50)->Arg(300);

// What a step of a simulation does: the rotations of the step before are 0.01 rad off.
void NearestRotationsOfArray(benchmark::State& state) {
    const auto matrices = deformation_gradients();
    std::vector<Quat> start(count);
    nearest_rotations(matrices, start, 1e-10);
    for (Quat& q : start) q = q * Quat(1, 0.003, -0.004, 0.001).normalized();
    std::size_t iterations = 0;
    std::vector<Quat> rotations;
    for (auto _ : state) {
        rotations = start;
        iterations = nearest_rotations(matrices, rotations, 1e-4);
    }
    state.SetItemsProcessed(state.iterations() * count);
    state.counters["iterations"] = static_cast<double>(iterations) / count;
}
BENCHMARK(NearestRotationsOfArray);

}  // namespace
}  // namespace pliant
