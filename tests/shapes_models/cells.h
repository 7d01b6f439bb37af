// A shape sampled at the middles of cubic cells, to count its pieces and measure it without a mesh.
#pragma once

#include <algorithm>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/geometry/shape.h"

namespace pliant {

class Cells {
public:
    enum class Touch { faces, corners };

    // Covers the bounds, and two cells around them.
    Cells(const Shape& shape, Real spacing) : spacing_(spacing) {
        const Box box = shape.bounds();
        size_ = (box.sizes() / spacing).array().ceil().cast<int>() + 4;
        corner_ = box.center() - spacing / 2 * size_.cast<Real>().matrix();
        inside_.resize(static_cast<std::size_t>(size_.prod()));
        parallel_for(inside_.size(), [&](std::size_t i) { inside_[i] = shape.distance(middle(int(i))) < 0; });
    }

    int count_inside() const { return static_cast<int>(std::count(inside_.begin(), inside_.end(), 1)); }
    Real volume_inside() const { return count_inside() * cube(spacing_); }

    Box bounds_of_inside() const {
        Box box;
        for (std::size_t i = 0; i < inside_.size(); ++i) {
            if (inside_[i]) box.extend(middle(int(i)));
        }
        return box;
    }

    // Of the inside or of the outside: pieces whose cells touch in faces, or also in edges and corners.
    int count_pieces(bool inside, Touch touch) const {
        std::vector<char> waiting(inside_.size());
        for (std::size_t i = 0; i < inside_.size(); ++i) waiting[i] = (inside_[i] != 0) == inside;
        int pieces = 0;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (!waiting[i]) continue;
            ++pieces;
            flood(int(i), touch, waiting);
        }
        return pieces;
    }

private:
    Eigen::Array3i cell(int i) const { return {i % size_.x(), i / size_.x() % size_.y(), i / size_.x() / size_.y()}; }
    int index(const Eigen::Array3i& c) const { return (c.z() * size_.y() + c.y()) * size_.x() + c.x(); }
    Vec3 middle(int i) const { return corner_ + spacing_ * (cell(i).cast<Real>() + 0.5).matrix(); }

    void flood(int start, Touch touch, std::vector<char>& waiting) const {
        std::vector<int> open = {start};
        waiting[start] = 0;
        while (!open.empty()) {
            const Eigen::Array3i c = cell(open.back());
            open.pop_back();
            for (int n = 0; n < 27; ++n) {
                const Eigen::Array3i step(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1), next = c + step;
                if (touch == Touch::faces && step.abs().sum() != 1) continue;
                if ((next < 0).any() || (next >= size_).any() || !waiting[index(next)]) continue;
                waiting[index(next)] = 0;
                open.push_back(index(next));
            }
        }
    }

    Real spacing_;
    Eigen::Array3i size_;
    Vec3 corner_;
    std::vector<char> inside_;
};

}  // namespace pliant
