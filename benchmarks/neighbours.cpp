// Neighbour lists of a million particles with about 30 neighbours each, one thread: ours (ascending, both ways) against
// nanoflann's radius search (unordered), each from positions to lists. "shuffled" is the worst order in memory,
// "sorted" that of a lattice, "ordered" that of cell_order.
#include "pliant/geometry/neighbours.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <nanoflann.hpp>
#include <random>

#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_order.h"

namespace pliant {
namespace {

enum Order { sorted, shuffled, ordered };
const char* const order_names[] = {"sorted", "shuffled", "ordered"};

const Real radius = std::cbrt(31 / (4 * pi / 3));  // 31 in a ball at one a unit volume, the particle itself included

// A lattice of unit spacing, shaken by up to 0.3 along each axis.
std::vector<Vec3> jittered_lattice(int edge, int order) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<Real> jitter(-0.3, 0.3);
    std::vector<Vec3> points;
    for (int z = 0; z < edge; ++z) {
        for (int y = 0; y < edge; ++y) {
            for (int x = 0; x < edge; ++x) {
                points.push_back(Vec3(x, y, z) + Vec3(jitter(engine), jitter(engine), jitter(engine)));
            }
        }
    }
    if (order == shuffled) std::shuffle(points.begin(), points.end(), engine);
    if (order == ordered) {
        const std::vector<Vec3> old = points;
        const auto places = cell_order(old, radius);
        for (std::size_t k = 0; k < old.size(); ++k) points[k] = old[places[k]];
    }
    return points;
}

struct PointCloud {
    const std::vector<Vec3>& points;
    std::size_t kdtree_get_point_count() const { return points.size(); }
    double kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i][Eigen::Index(axis)]; }
    template <class Bounds>
    bool kdtree_get_bbox(Bounds&) const {
        return false;
    }
};

// Into rows like ours, whose memory is kept between calls as well.
void find_by_nanoflann(const std::vector<Vec3>& points, NeighbourLists& lists) {
    using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PointCloud>, PointCloud, 3,
                                                     std::uint32_t>;
    const PointCloud cloud{points};
    Tree tree(3, cloud, {20});  // the quickest of leaf sizes 10, 20 and 40
    tree.buildIndex();
    nanoflann::SearchParams unordered;
    unordered.sorted = false;
    std::vector<std::pair<std::uint32_t, double>> found;
    lists.offsets.assign(1, 0);
    lists.indices.clear();
    for (std::uint32_t i = 0; i < points.size(); ++i) {
        found.clear();
        tree.radiusSearch(points[i].data(), radius * radius, found, unordered);
        for (const auto& [j, squared] : found) {
            if (j != i) lists.indices.push_back(j);
        }
        lists.offsets.push_back(lists.indices.size());
    }
}

void NeighboursByOurs(benchmark::State& state) {
    const auto points = jittered_lattice(int(state.range(1)), int(state.range(0)));
    state.SetLabel(order_names[state.range(0)]);
    NeighbourSearch search;
    NeighbourLists lists;
    Threads(int(state.range(2))).run([&] {
        search.find(points, radius, lists);
        for (auto _ : state) search.find(points, radius, lists);
    });
    state.SetItemsProcessed(state.iterations() * std::int64_t(points.size()));
    state.counters["neighbours"] = double(lists.indices.size()) / double(points.size());
    state.counters["memory/information"] =
        double(lists.memory()) / double(4 * lists.indices.size() + 8 * points.size());
    state.counters["workspace_bytes"] = double(search.memory()) / double(points.size());
}
BENCHMARK(NeighboursByOurs)
    ->ArgNames({"order", "edge", "threads"})
    ->ArgsProduct({{sorted, shuffled, ordered}, {100}, {1, 2}})
    ->Args({ordered, 171, 2})  // five million
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Processor time of the quickest of a few runs: what the machine can do when nobody disturbs it.
template <class Work>
double quickest(int runs, Work&& work) {
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int k = 0; k < runs; ++k) {
        const std::clock_t start = std::clock();
        work();
        best = std::min(best, std::clock() - start);
    }
    return double(best) / CLOCKS_PER_SEC;
}

void SpeedupOverNanoflann(benchmark::State& state) {
    const auto points = jittered_lattice(100, int(state.range(0)));
    state.SetLabel(order_names[state.range(0)]);
    NeighbourSearch search;
    NeighbourLists ours, theirs;
    Threads one(1);
    for (auto _ : state) {
        one.run([&] {
            const double our_seconds = quickest(7, [&] { search.find(points, radius, ours); });
            const double their_seconds = quickest(3, [&] { find_by_nanoflann(points, theirs); });
            state.counters["ours_s"] = our_seconds;
            state.counters["nanoflann_s"] = their_seconds;
            state.counters["ratio"] = their_seconds / our_seconds;
        });
    }
    if (ours.indices.size() != theirs.indices.size()) state.SkipWithError("the two found different neighbours");
}
BENCHMARK(SpeedupOverNanoflann)
    ->ArgName("order")
    ->Arg(sorted)
    ->Arg(shuffled)
    ->Arg(ordered)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant
