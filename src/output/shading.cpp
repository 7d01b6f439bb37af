#include "pliant/output/shading.h"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

using Vector3 = Eigen::Vector3f;

enum Purpose { lens, lamp, sky, inside };  // the pairs of numbers of a sample

constexpr float start_offset = 2e-4f;  // rays start this far off a surface, lest they meet it again
constexpr float wrap = 0.25f;          // how far the lamp's light creeps around into the shade
constexpr float bounced = 0.38f;       // of a thing's colour, that others around it send where they hide the sky
constexpr float exposure = 0.45f;
constexpr float bending = 1.33f;  // refractive index of clear liquids
constexpr float tinting = 1.4f;   // how deep their colour is
constexpr int most_crossed = 8;   // surfaces of theirs that a ray passes

// Schlick's approximation for a skin of sugar, whose roughness keeps the rim from mirroring all.
float reflectance(float cosine) {
    const float x = 1 - std::clamp(cosine, 0.0f, 1.0f);
    return 0.04f + 0.35f * x * x * x * x * x;
}

float liquid_reflectance(float cosine) {
    const float x = 1 - std::clamp(cosine, 0.0f, 1.0f);
    return 0.02f + 0.98f * x * x * x * x * x;
}

// Snell's law at a surface with normal n towards the ray's origin; index of the near side over that of the far one.
// Beyond the angle of total reflection the ray is mirrored.
Vector3 bent(const Vector3& d, const Vector3& n, float index) {
    const float cosine = -d.dot(n);
    const float square = 1 - index * index * (1 - cosine * cosine);
    if (square < 0) return d + 2 * cosine * n;
    return (index * d + (index * cosine - std::sqrt(square)) * n).normalized();
}

}  // namespace

// The thicker the liquid, the deeper its colour; what goes on for ever is not within one.
void Shading::Way::tint(float distance) {
    if (!is_within || !std::isfinite(distance)) return;
    passed.array() *= colour.array().max(0.02f).pow(tinting * distance);
}

bool Shading::sees(const Vector3& point, const Vector3& face, const Vector3& direction) const {
    return face.dot(direction) > 0 && !scene_.is_blocked({point + start_offset * face, direction});
}

Seen Shading::along(const Ray& ray, float pixel_angle, const PixelSamples& samples, int s) const {
    Way way;
    way.ray = ray;
    for (int crossed = 0;; ++crossed) {
        const Hit hit = scene_.closest(way.ray);
        const FloorPattern* nearest = nullptr;
        float distance = hit.distance;
        for (const FloorPattern& floor : floors_) {
            if (const float d = floor.distance(way.ray.origin, way.ray.direction); d < distance) {
                distance = d;
                nearest = &floor;
            }
        }
        way.tint(distance);
        if (hit.is_clear && !nearest && crossed < most_crossed) {
            cross(hit, way);
            continue;
        }
        Seen seen = nearest          ? floor(way.ray, *nearest, distance, pixel_angle, samples, s)
                    : hit.is_there() ? body(way.ray, hit, samples, s)
                                     : backdrop(way.ray);
        seen.emitted = way.added + way.passed.cwiseProduct(seen.emitted);
        seen.albedo = way.passed.cwiseProduct(seen.albedo);
        seen.distance += way.length;
        return seen;
    }
}

// Into a clear liquid or out of it.
void Shading::cross(const Hit& hit, Way& way) const {
    const Vector3& n = hit.normal;
    const Vector3 point = way.ray.origin + hit.distance * way.ray.direction;
    if (!hit.is_left) {
        const Vector3 mirrored = way.ray.direction - 2 * n.dot(way.ray.direction) * n;
        const float gloss = liquid_reflectance(-n.dot(way.ray.direction));
        const bool sees_lamp = sees(point, hit.face, studio_.key_direction);
        const Colour mirror =
            studio_.sky(mirrored) + (sees_lamp ? studio_.key_gloss(mirrored) : 0.0f) * studio_.key_light;
        way.added += gloss * way.passed.cwiseProduct(mirror);
        way.passed *= 1 - gloss;
    }
    way.ray.direction = bent(way.ray.direction, n, hit.is_left ? bending : 1 / bending);
    const bool is_through = way.ray.direction.dot(hit.face) < 0;
    way.ray.origin = point + (is_through ? -start_offset : start_offset) * hit.face;
    way.length += hit.distance;
    way.is_within = is_through != hit.is_left;
    way.colour = hit.colour;
}

Seen Shading::backdrop(const Ray& ray) const {
    Seen seen;
    seen.emitted = studio_.backdrop(ray.direction);
    return seen;
}

Seen Shading::floor(const Ray& ray, const FloorPattern& floor, float distance, float pixel_angle,
                    const PixelSamples& samples, int s) const {
    const Vector3 point = ray.origin + distance * ray.direction;
    const Vector3& n = floor.normal();
    const float haze = studio_.haze(point);
    if (haze >= 1) return backdrop(ray);
    Seen seen;
    seen.kind = Seen::Kind::smooth;
    seen.surface = -1 - int(&floor - floors_.data());
    seen.normal = n;
    seen.distance = distance;
    seen.emitted = haze * studio_.backdrop(ray.direction);
    const float cosine = std::max(1e-3f, -n.dot(ray.direction));
    seen.albedo = (1 - haze) * floor.colour(point, pixel_angle * distance / std::sqrt(cosine));

    const Vector3 to_lamp = cone_direction(studio_.key_direction, studio_.key_spread, samples.pair(s, lamp));
    const Vector3 to_sky = cosine_direction(n, samples.pair(s, sky));
    const float lamp_share = std::max(0.05f, n.dot(studio_.key_direction));
    const Colour lamp_light = lamp_share * studio_.key_light, sky_light = studio_.sky(n);
    seen.light = float(sees(point, n, to_lamp)) * lamp_light + (sees(point, n, to_sky) ? 1.0f : 0.25f) * sky_light;
    seen.light = seen.light.cwiseQuotient(lamp_light + sky_light);  // the open floor has the colour of its pattern
    return seen;
}

Seen Shading::body(const Ray& ray, const Hit& hit, const PixelSamples& samples, int s) const {
    const Vector3 point = ray.origin + hit.distance * ray.direction;
    const Vector3& n = hit.normal;
    const Vector3 to_eye = -ray.direction;
    Seen seen;
    seen.normal = n;
    seen.distance = hit.distance;
    seen.kind = hit.is_round ? Seen::Kind::ball : Seen::Kind::smooth;
    seen.surface = hit.mesh;

    // The lamp: its light wraps a little around, as in stuff that scatters within.
    const Vector3 to_lamp = cone_direction(studio_.key_direction, studio_.key_spread, samples.pair(s, lamp));
    const float facing = (n.dot(to_lamp) + wrap) / (1 + wrap);
    const bool sees_lamp = facing > 0 && sees(point, hit.face, to_lamp);
    if (sees_lamp) seen.light = facing * studio_.key_light;

    // The sky: where another thing is in its way, that thing sends a little light of about the same colour.
    const bool sees_sky = sees(point, hit.face, cosine_direction(n, samples.pair(s, sky)));
    seen.light += sees_sky ? studio_.sky(n) : Colour(bounced * hit.colour);

    // The gloss: the sky mirrored in the skin, and the lamp in it as a soft spot.
    const Vector3 mirrored = 2 * n.dot(to_eye) * n - to_eye;
    const float gloss = reflectance(n.dot(to_eye));
    const float sky_gloss = !hit.is_round ? 0.6f : sees_sky ? 0.8f : 0.1f;
    const Colour mirror =
        sky_gloss * studio_.sky(mirrored) + (sees_lamp ? studio_.key_gloss(mirrored) : 0.0f) * studio_.key_light;
    seen.emitted = gloss * mirror;
    seen.albedo = exposure * (1 - gloss) * hit.colour;
    if (hit.translucency > 0) {
        seen.light *= 1 - 0.6f * hit.translucency;
        seen.light += hit.translucency * shone_through(point, hit, samples.pair(s, inside));
    }
    if (hit.is_round) {
        seen.emitted += seen.albedo.cwiseProduct(seen.light);
        seen.albedo.setZero();
    }
    return seen;
}

// The light from behind, as a multiple of the body's colour: the thicker the body, the deeper its colour.
Colour Shading::shone_through(const Vector3& point, const Hit& hit, const Eigen::Vector2f& u) const {
    const Vector3 inwards = cosine_direction(-hit.normal, u);
    const Hit exit = scene_.closest({point - start_offset * hit.face, inwards});
    const float thickness = exit.is_there() ? exit.distance : 0.0f;
    const float lamp_behind = 0.5f - 0.5f * exit.face.dot(studio_.key_direction);
    const Colour light = studio_.sky(inwards) + 0.5f * lamp_behind * studio_.key_light;
    const Eigen::Array3f colour = hit.colour.array().max(0.02f);
    return 1.2f * (light.array() * colour.pow(3.5f * thickness - 0.3f)).matrix();
}

}  // namespace pliant
