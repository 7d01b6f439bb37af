// The picture while it is drawn: sums of samples a pixel, and the filter that takes the grain out of soft shadows.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "pliant/output/image.h"
#include "pliant/output/shading.h"

namespace pliant {

class Film {
public:
    Film(int width, int height);

    int width() const { return width_; }
    int height() const { return height_; }

    void add(int x, int y, const Seen& seen);

    // Whether the first samples of this pixel and those around it show more than one even surface.
    bool needs_more(int x, int y) const;

    // Averages the light over neighbours that lie on the same surface and have about the same light; some times over,
    // with a wider reach and a closer look each time.
    void filter_light();

    Image develop() const;  // tone curve, sRGB, bytes

private:
    // Sums over the samples; the last five of those on floors and meshes.
    struct Pixel {
        Colour emitted = Colour::Zero();
        Colour albedo = Colour::Zero();
        Colour lit = Colour::Zero();  // albedo * light
        Eigen::Vector3f normal = Eigen::Vector3f::Zero();
        float distance = 0;
        int surface = 0;        // of the first
        bool is_mixed = false;  // others are of another surface: the light cannot be taken apart
        std::uint16_t samples = 0;
        std::uint16_t smooth = 0;
        std::uint16_t balls = 0;
    };

    std::size_t index(int x, int y) const { return std::size_t(y) * std::size_t(width_) + std::size_t(x); }
    void filter_pass(int reach, float tolerance, std::vector<Colour>& result) const;
    Colour filtered_light(int x, int y, int reach, float tolerance) const;

    int width_;
    int height_;
    std::vector<Pixel> pixels_;
    std::vector<Colour> light_;  // of the smooth samples: their sum, after filter_light() their mean
};

}  // namespace pliant
