// Who may touch whom in a step: boxes around ellipsoids and the way they go, eight to a tile, and tiles eight to a tile
// above, up to one a body. Who shares a tile is settled once, by the rest shape; only the boxes follow. Nothing is kept
// from one step to the next, so that what is found, and in which order, depends on the particles alone.
//
// Within a body, moves count from the body's own; between bodies, those of the bodies count against each other. So
// bodies that fly fast have no more candidates than bodies at rest.
#pragma once

#include <span>

#include "pliant/math/simd.h"
#include "pliant/methods/oriented/rest_pose.h"

namespace pliant {

class ContactBoxes {
public:
    struct Pair {
        std::uint32_t a, b;
        Eigen::Vector3f way;  // what b moves by against a [m]
    };

    // Tiles of every body. Forgets who was excluded.
    void set_bodies(std::span<const BodyRange> bodies, std::span<const Vec3> rest_position, bool self_collision);
    // These two, of one body, never touch. All of them before the first step.
    void exclude(std::uint32_t i, std::uint32_t j);

    // The boxes of a step. Boxes are wider than ellipsoids by `margin` [m] on each side; moves count up to
    // `longest_way` [m], that of the body and that within it.
    void follow(std::span<const Vec3> position, std::span<const Vec3> move, std::span<const Eigen::Matrix3f> shape,
                const Vec3& origin, float margin, float longest_way);

    // Pairs whose boxes meet, in tasks that can be worked on side by side.
    std::size_t task_count() const { return tasks_.size(); }
    void list_pairs(std::size_t task, std::vector<Pair>& into) const;

    std::size_t bytes() const;

private:
    static constexpr std::uint32_t none = ~std::uint32_t(0);
    struct Tile {
        Float8 low[3], high[3];  // of the eight
    };
    struct Children {
        std::uint32_t index[8];  // tiles, or on level 0 particles; none behind the last
        std::uint32_t level = 0;
    };
    struct Bounds {
        float low[3], high[3];
    };
    struct Task {
        std::uint32_t a, b;  // tiles
        std::uint32_t body_a, body_b;
        Eigen::Vector3f shift;  // what the first body moves by against the second [m]
    };
    struct Excluded {
        std::uint32_t tile;
        std::uint64_t pairs;  // bit 8 a + b: lane a of this tile and b of the other
    };

    static unsigned meeting(const Tile& tile, const Bounds& box, const Eigen::Vector3f& way);
    static bool is_below(const Excluded& e, std::uint32_t tile) { return e.tile < tile; }

    std::uint32_t add_tiles(std::span<std::uint32_t> particles, std::span<const Vec3> position);
    void split(std::span<std::uint32_t> particles, std::size_t parts, std::size_t part_size,
               std::span<const Vec3> position, Children& children);
    void fit_leaf(std::size_t tile, std::span<const Vec3> position, std::span<const Eigen::Matrix3f> shape,
                  const Vec3& origin, float margin);
    void fit_above(std::size_t body);
    void find_tasks();
    void add_task(const Task& task);
    template <class Visit>
    void visit_children(const Task& task, Visit&& visit) const;
    std::uint64_t meeting(const Task& task) const;  // of tiles of one level; bits as in Excluded
    void list_below(const Task& task, std::vector<Pair>& into) const;
    std::uint64_t absent(std::uint32_t a, std::uint32_t b) const;
    std::uint64_t excluded(std::uint32_t a, std::uint32_t b) const;

    std::vector<BodyRange> bodies_;
    std::vector<std::uint32_t> root_;  // of each body: its tiles are root_[b] up to root_[b + 1]
    bool self_collision_ = true;
    std::vector<Tile> tile_;
    std::vector<Children> children_;
    std::vector<Bounds> bounds_;                   // of all of a tile
    std::vector<std::uint32_t> leaves_;            // tiles of level 0
    std::vector<std::uint32_t> home_;              // 8 tile + lane, of each particle
    std::vector<std::vector<Excluded>> excluded_;  // by tile, of those of its own or a higher number
    std::vector<Eigen::Vector3f> body_way_, way_;  // of a body against the mean, of a particle against its body [m]
    std::vector<std::uint32_t> order_;
    std::vector<Task> tasks_;
};

}  // namespace pliant
