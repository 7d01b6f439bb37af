// The light that comes from a point of a body or of the floor: key lamp with soft shadow, sky where it is seen, a gloss
// as of candy, and in jelly the light that shines through.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "pliant/output/floor_pattern.h"
#include "pliant/output/ray_scene.h"
#include "pliant/output/sampling.h"
#include "pliant/output/studio.h"

namespace pliant {

class Shading {
public:
    Shading(const RayScene& scene, const Studio& studio, const std::vector<FloorPattern>& floors)
        : scene_(scene), studio_(studio), floors_(floors) {}

    // What the camera sees along the ray, by sample s of the pixel; `pixel_angle` is the width of a pixel at
    // distance 1.
    Colour seen(const Ray& ray, float pixel_angle, const PixelSamples& samples, int s) const;

private:
    Colour body(const Ray& ray, const Hit& hit, const PixelSamples& samples, int s) const;
    Colour floor(const Ray& ray, const FloorPattern& floor, float distance, float pixel_angle,
                 const PixelSamples& samples, int s) const;
    Colour shone_through(const Eigen::Vector3f& point, const Hit& hit) const;
    bool sees(const Eigen::Vector3f& point, const Eigen::Vector3f& face, const Eigen::Vector3f& direction) const;

    const RayScene& scene_;
    const Studio& studio_;
    const std::vector<FloorPattern>& floors_;
};

}  // namespace pliant
