#include "pliant/geometry/cell_frame.h"

#include <fmt/core.h>

#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {

namespace {

constexpr std::size_t block = 8192;
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

[[noreturn]] void complain_of_position(const Vec3& x, std::size_t particle, Real cell_size) {
    const std::string where = fmt::format("particle {} is at ({:g}, {:g}, {:g})", particle, x.x(), x.y(), x.z());
    if (!x.allFinite()) throw SimulationError(where + ": a position must be finite; try a smaller time step");
    throw SimulationError(where + fmt::format(", farther from the origin than {:g} cells of {:g} m: it has been flung "
                                              "away; try a smaller time step",
                                              CellFrameFinder::farthest, cell_size));
}

}  // namespace

CellFrame CellFrameFinder::find(std::span<const Vec3> positions, Real cell_size) {
    if (!(cell_size >= 1e-150 && cell_size <= 1e150)) {
        throw InputError(
            fmt::format("the size of a search cell is {:g} m; it must lie between 1e-150 and 1e150 m", cell_size));
    }
    if (positions.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw InputError(fmt::format("{} particles are more than the 4294967295 that 32-bit indices can tell apart",
                                     positions.size()));
    }
    CellFrame frame;
    frame.inverse_size = 1 / cell_size;
    if (positions.empty()) return frame;

    resize_discarding(partial_, block_count(positions.size(), block));
    parallel_blocks(positions.size(), block, [&](std::size_t begin, std::size_t end) {
        Extent extent{frame.scaled(positions[begin]), frame.scaled(positions[begin]), none};
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 t = frame.scaled(positions[i]);
            const bool is_within_reach =
                std::abs(t.x()) <= farthest && std::abs(t.y()) <= farthest && std::abs(t.z()) <= farthest;
            if (!is_within_reach && extent.bad == none) extent.bad = i;
            extent.lowest = extent.lowest.cwiseMin(t);
            extent.highest = extent.highest.cwiseMax(t);
        }
        partial_[begin / block] = extent;
    });
    Extent whole = partial_.front();
    for (const Extent& part : partial_) {
        if (part.bad != none) complain_of_position(positions[part.bad], part.bad, cell_size);
        whole.lowest = whole.lowest.cwiseMin(part.lowest);
        whole.highest = whole.highest.cwiseMax(part.highest);
    }
    for (int axis = 0; axis < 3; ++axis) {
        frame.lowest[axis] = std::int64_t(std::floor(whole.lowest[axis]));
        frame.extent[axis] = std::int64_t(std::floor(whole.highest[axis])) - frame.lowest[axis] + 1;
    }
    frame.largest = whole.lowest.cwiseAbs().cwiseMax(whole.highest.cwiseAbs()).maxCoeff();
    return frame;
}

}  // namespace pliant
