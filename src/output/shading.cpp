#include "pliant/output/shading.h"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

using Vector3 = Eigen::Vector3f;

enum Purpose { lens, lamp, sky };  // the pairs of numbers of a sample

constexpr float start_offset = 2e-4f;  // rays start this far off a surface, lest they meet it again
constexpr float wrap = 0.25f;          // how far the lamp's light creeps around into the shade
constexpr float bounced = 0.38f;       // of the sky's light, where something else is in its way
constexpr float horizon_distance = 14.0f;

// Schlick's approximation for a skin of sugar.
float reflectance(float cosine) {
    const float x = 1 - std::clamp(cosine, 0.0f, 1.0f);
    return 0.04f + 0.96f * x * x * x * x * x;
}

float smooth(float low, float high, float x) {
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

}  // namespace

bool Shading::sees(const Vector3& point, const Vector3& face, const Vector3& direction) const {
    return face.dot(direction) > 0 && !scene_.is_blocked({point + start_offset * face, direction});
}

Colour Shading::seen(const Ray& ray, float pixel_angle, const PixelSamples& samples, int s) const {
    const Hit hit = scene_.closest(ray);
    const FloorPattern* nearest = nullptr;
    float distance = hit.distance;
    for (const FloorPattern& floor : floors_) {
        if (const float d = floor.distance(ray.origin, ray.direction); d < distance) {
            distance = d;
            nearest = &floor;
        }
    }
    if (nearest) return floor(ray, *nearest, distance, pixel_angle, samples, s);
    return hit.is_there() ? body(ray, hit, samples, s) : studio_.backdrop(ray.direction);
}

Colour Shading::floor(const Ray& ray, const FloorPattern& floor, float distance, float pixel_angle,
                      const PixelSamples& samples, int s) const {
    const Vector3 point = ray.origin + distance * ray.direction;
    const Vector3& n = floor.normal();
    const float cosine = std::max(1e-3f, -n.dot(ray.direction));
    const Colour colour = floor.colour(point, pixel_angle * distance / std::sqrt(cosine));

    const Vector3 to_lamp = cone_direction(studio_.key_direction, studio_.key_spread, samples.pair(s, lamp));
    const float lit = std::max(0.0f, n.dot(to_lamp)) * float(sees(point, n, to_lamp));
    const Vector3 to_sky = cosine_direction(n, samples.pair(s, sky));
    const Colour ambient = sees(point, n, to_sky) ? studio_.sky(to_sky) : Colour(0.25f * studio_.sky(n));
    // Scaled so that the open floor has the colour of its pattern.
    const Colour open = studio_.key_light * std::max(0.05f, n.dot(studio_.key_direction)) + studio_.sky(n);
    const Colour light = (lit * studio_.key_light + ambient).cwiseQuotient(open);
    const float fog = smooth(0.12f * horizon_distance, horizon_distance, point.norm());
    return (1 - fog) * colour.cwiseProduct(light) + fog * studio_.backdrop(ray.direction);
}

Colour Shading::body(const Ray& ray, const Hit& hit, const PixelSamples& samples, int s) const {
    const Vector3 point = ray.origin + hit.distance * ray.direction;
    const Vector3& n = hit.normal;
    const Vector3 to_eye = -ray.direction;

    // The lamp: its light wraps a little around, as in stuff that scatters within.
    const Vector3 to_lamp = cone_direction(studio_.key_direction, studio_.key_spread, samples.pair(s, lamp));
    const float facing = (n.dot(to_lamp) + wrap) / (1 + wrap);
    const bool sees_lamp = facing > 0 && sees(point, hit.face, to_lamp);
    const Colour lamp_light = sees_lamp ? Colour(facing * studio_.key_light) : Colour::Zero();

    // The sky: where another thing is in its way, that thing sends a little light of about the same colour.
    const Vector3 to_sky = cosine_direction(n, samples.pair(s, sky));
    const bool sees_sky = sees(point, hit.face, to_sky);
    const Colour sky_light = sees_sky ? studio_.sky(to_sky) : Colour(bounced * hit.colour);

    // The gloss: the sky mirrored in the skin, and the lamp in it as a soft spot.
    const Vector3 mirrored = 2 * n.dot(to_eye) * n - to_eye;
    const float gloss = reflectance(n.dot(to_eye));
    const float spot = sees_lamp ? smooth(0.93f, 0.985f, mirrored.dot(studio_.key_direction)) : 0.0f;
    const Colour mirror = (sees_sky ? 0.8f : 0.1f) * studio_.sky(mirrored) + 6.0f * spot * studio_.key_light;

    Colour diffuse = hit.colour.cwiseProduct(lamp_light + sky_light) / 2.2f;
    if (hit.translucency > 0)
        diffuse = (1 - 0.6f * hit.translucency) * diffuse + hit.translucency * shone_through(point, hit);
    return (1 - gloss) * diffuse + gloss * mirror;
}

Colour Shading::shone_through(const Vector3& point, const Hit& hit) const {
    // Straight in, and out on the other side: the thicker, the deeper the colour and the darker.
    const Hit exit = scene_.closest({point - start_offset * hit.face, -hit.normal});
    const float thickness = exit.is_there() ? exit.distance : 0.0f;
    const float lamp_behind = 0.5f + 0.5f * (-exit.face).dot(studio_.key_direction);
    const Colour light = studio_.sky(-hit.normal) + 0.5f * lamp_behind * studio_.key_light;
    const Eigen::Array3f colour = hit.colour.array().max(0.02f);
    return (light.array() * colour.pow(0.6f + 2.5f * thickness) * 0.55f).matrix();
}

}  // namespace pliant
