// The things that rays can meet, in a tree that finds them quickly (Embree), in the picture's own units: the framed box
// has its centre at the origin and half its diagonal is 1.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "pliant/output/render_scene.h"

namespace pliant {

struct Ray {
    Eigen::Vector3f origin;
    Eigen::Vector3f direction;  // unit
};

struct Hit {
    float distance = std::numeric_limits<float>::infinity();
    Eigen::Vector3f normal = Eigen::Vector3f::UnitY();  // unit, for shading; towards the outside
    Eigen::Vector3f face = Eigen::Vector3f::UnitY();    // unit, of the true surface, towards the ray's origin
    Colour colour = Colour::Zero();
    float translucency = 0;
    bool is_clear = false;
    bool is_left = false;   // a mesh, met from within
    bool is_round = false;  // a ball, not a mesh
    int mesh = 0;           // its number in the scene

    bool is_there() const { return std::isfinite(distance); }
};

class RayScene {
public:
    RayScene(const RenderScene& scene, const Vec3& centre, Real scale, double radius_scale);
    ~RayScene();
    RayScene(const RayScene&) = delete;
    RayScene& operator=(const RayScene&) = delete;

    Hit closest(const Ray& ray) const;
    bool is_blocked(const Ray& ray) const;  // anything on the way that light does not pass

private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace pliant
