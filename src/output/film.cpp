#include "pliant/output/film.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {

namespace {

constexpr float brightest = 4;  // a sample counts as no brighter, lest one makes a speck

// Straight up to 0.7, then bent so that the brightest gloss ends at white.
float shoulder(float x) {
    return x < 0.7f ? x : 0.7f + 0.3f * (1 - std::exp((0.7f - x) / 0.3f));
}

// `dither` in 0..1 instead of a half: smooth gradients do not break into bands.
std::uint8_t to_byte(float linear, float dither) {
    return static_cast<std::uint8_t>(std::clamp(255 * to_srgb(shoulder(linear)) + dither, 0.0f, 255.0f));
}

}  // namespace

Film::Film(int width, int height)
    : width_(width),
      height_(height),
      pixels_(std::size_t(width) * std::size_t(height)),
      light_(pixels_.size(), Colour::Zero()) {}

void Film::add(int x, int y, const Seen& seen) {
    Pixel& pixel = pixels_[index(x, y)];
    pixel.emitted += seen.emitted.cwiseMin(brightest);
    ++pixel.samples;
    pixel.balls += seen.kind == Seen::Kind::ball;
    if (seen.kind != Seen::Kind::smooth) return;
    if (pixel.smooth == 0) pixel.surface = seen.surface;
    pixel.is_mixed = pixel.is_mixed || pixel.surface != seen.surface;
    pixel.albedo += seen.albedo;
    pixel.lit += seen.albedo.cwiseProduct(seen.light);
    pixel.normal += seen.normal;
    pixel.distance += seen.distance;
    ++pixel.smooth;
    light_[index(x, y)] += seen.light;
}

bool Film::needs_more(int x, int y) const {
    const Pixel& centre = pixels_[index(x, y)];
    if (centre.balls > 0 || centre.is_mixed || (centre.smooth > 0 && centre.smooth < centre.samples)) return true;
    for (int v = std::max(y - 1, 0); v <= std::min(y + 1, height_ - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, width_ - 1); ++u) {
            const Pixel& other = pixels_[index(u, v)];
            const bool is_alike = other.balls == 0 && other.smooth == centre.smooth &&
                                  other.surface == centre.surface &&
                                  other.normal.dot(centre.normal) >= 0.98f * float(centre.smooth * centre.smooth) &&
                                  std::abs(other.distance - centre.distance) <= 0.05f * centre.distance;
            if (!is_alike) return true;
        }
    }
    return false;
}

void Film::filter_light() {
    parallel_for(pixels_.size(), [&](std::size_t i) {
        Pixel& pixel = pixels_[i];
        if (pixel.smooth == 0) return;
        light_[i] /= pixel.smooth;
        pixel.normal /= float(pixel.smooth);
        pixel.distance /= pixel.smooth;
    });
    std::vector<Colour> filtered = light_;
    for (const auto& [reach, tolerance] : {std::pair(1, 10.0f), std::pair(2, 0.4f), std::pair(4, 0.15f)}) {
        filter_pass(reach, tolerance, filtered);
        light_.swap(filtered);
    }
}

void Film::filter_pass(int reach, float tolerance, std::vector<Colour>& result) const {
    const auto filter_row = [&](std::size_t row) {
        for (int x = 0; x < width_; ++x) {
            const int y = int(row);
            if (pixels_[index(x, y)].smooth > 0) result[index(x, y)] = filtered_light(x, y, reach, tolerance);
        }
    };
    parallel_for(std::size_t(height_), filter_row, 8);
}

Colour Film::filtered_light(int x, int y, int reach, float tolerance) const {
    static constexpr std::array<float, 5> tap = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
    const Pixel& centre = pixels_[index(x, y)];
    const Colour& light = light_[index(x, y)];
    Colour sum = light * 1e-6f;
    float total = 1e-6f;
    for (int j = -2; j <= 2; ++j) {
        const int v = y + j * reach;
        if (v < 0 || v >= height_) continue;
        for (int i = -2; i <= 2; ++i) {
            const int u = x + i * reach;
            if (u < 0 || u >= width_) continue;
            const Pixel& other = pixels_[index(u, v)];
            const bool is_near = other.smooth > 0 && other.surface == centre.surface && !other.is_mixed &&
                                 other.normal.dot(centre.normal) > 0.95f &&
                                 std::abs(other.distance - centre.distance) < 0.1f * centre.distance;
            if (!is_near) continue;
            const Colour& other_light = light_[index(u, v)];
            const float difference = (other_light - light).cwiseAbs().maxCoeff() / tolerance;
            const float likeness = 1 / (1 + difference * difference * difference * difference);
            const float weight = tap[std::size_t(i + 2)] * tap[std::size_t(j + 2)] * float(other.smooth) * likeness;
            sum += weight * other_light;
            total += weight;
        }
    }
    return sum / total;
}

Image Film::develop() const {
    Image image(width_, height_);
    parallel_for(pixels_.size(), [&](std::size_t i) {
        const Pixel& pixel = pixels_[i];
        const float samples = float(std::max<std::uint16_t>(pixel.samples, 1));
        const Colour lit = pixel.is_mixed ? pixel.lit : Colour(pixel.albedo.cwiseProduct(light_[i]));
        const Colour colour = (pixel.emitted + lit) / samples;
        const float dither = float(scramble(std::uint32_t(i)) >> 8) * 0x1p-24f;
        for (std::size_t k = 0; k < 3; ++k) image.rgb[3 * i + k] = to_byte(colour[Eigen::Index(k)], dither);
    });
    return image;
}

}  // namespace pliant
