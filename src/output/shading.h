// The light that comes from a point of a body or of the floor: key lamp with soft shadow, sky where it is seen, a gloss
// as of candy, and in jelly the light that shines through. Clear liquids mirror, bend rays and tint what is behind.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "pliant/output/floor_pattern.h"
#include "pliant/output/ray_scene.h"
#include "pliant/output/sampling.h"
#include "pliant/output/studio.h"

namespace pliant {

// What one ray of the camera sees: the colour emitted + albedo * light. On floors and meshes the light, which is noisy
// but smooth, is kept apart, so that it can be filtered; balls and the backdrop have it in `emitted`.
struct Seen {
    Colour emitted = Colour::Zero();
    Colour albedo = Colour::Zero();
    Colour light = Colour::Zero();
    Eigen::Vector3f normal = Eigen::Vector3f::Zero();
    float distance = 0;
    enum class Kind { backdrop, ball, smooth } kind = Kind::backdrop;
    int surface = 0;  // which floor or mesh
};

class Shading {
public:
    Shading(const RayScene& scene, const Studio& studio, const std::vector<FloorPattern>& floors)
        : scene_(scene), studio_(studio), floors_(floors) {}

    // By sample s of a pixel; `pixel_angle` is the width of a pixel at distance 1.
    Seen along(const Ray& ray, float pixel_angle, const PixelSamples& samples, int s) const;

private:
    // A ray of the camera on its way through clear liquids.
    struct Way {
        Ray ray;
        float length = 0;                // so far
        Colour passed = Colour::Ones();  // of the light that comes along it
        Colour added = Colour::Zero();   // light, by what is mirrored on the way
        bool is_within = false;          // a liquid
        Colour colour = Colour::Ones();  // of that liquid

        void tint(float distance);  // by the liquid that it has gone through
    };
    void cross(const Hit& hit, Way& way) const;

    Seen backdrop(const Ray& ray) const;
    Seen body(const Ray& ray, const Hit& hit, const PixelSamples& samples, int s) const;
    Seen floor(const Ray& ray, const FloorPattern& floor, float distance, float pixel_angle,
               const PixelSamples& samples, int s) const;
    Colour shone_through(const Eigen::Vector3f& point, const Hit& hit, const Eigen::Vector2f& u) const;
    bool sees(const Eigen::Vector3f& point, const Eigen::Vector3f& face, const Eigen::Vector3f& direction) const;

    const RayScene& scene_;
    const Studio& studio_;
    const std::vector<FloorPattern>& floors_;
};

}  // namespace pliant
