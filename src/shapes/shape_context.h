// What a shape's settings need to know to become a shape.
#pragma once

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

struct ShapeContext {
    std::filesystem::path folder;                  // that relative mesh paths refer to
    Real resolution = 0.01;                        // [m] voxel of the grids that meshes and models are turned into
    std::vector<std::string>* warnings = nullptr;  // sentences for the user are appended here
    Real most_voxels_across = std::numeric_limits<Real>::infinity();  // of such a grid: then resolution gives way

    Real voxel_for(const Box& bounds) const {
        return std::max(resolution, bounds.diagonal().norm() / most_voxels_across);
    }

    void warn(std::string sentence) const {
        if (warnings) warnings->push_back(std::move(sentence));
    }
};

}  // namespace pliant
