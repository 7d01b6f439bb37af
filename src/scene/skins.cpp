#include "pliant/scene/skins.h"

#include "pliant/methods/oriented/rig.h"

namespace pliant {
namespace {

Eigen::Quaternionf orientation(const ParticleFrame& frame, std::size_t i) {
    const auto part = [&](const char* name) { return frame.find_quantity(name)->values[i]; };
    return Eigen::Quaternionf(part("orientation_w"), part("orientation_x"), part("orientation_y"),
                              part("orientation_z"))
        .normalized();
}

}  // namespace

BodySkins::BodySkins(const Model& model) {
    std::size_t first = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const auto& rig = model.bodies[b].rig;
        if (!rig) continue;
        if (rig->weights.size() > 0) skins_.push_back({b, first, rig, Skin(rig->skin, rig->weights, rig->size())});
        first += rig->size();
    }
}

std::vector<BodySkin> BodySkins::at(const ParticleFrame& frame) {
    std::vector<BodySkin> result;
    if (!frame.find_quantity("orientation_w")) return result;
    for (Bound& bound : skins_) {
        const Rig& rig = *bound.rig;
        if (bound.first + rig.size() > frame.size()) continue;
        std::vector<SkinFrame> frames(rig.size());
        for (std::size_t k = 0; k < rig.size(); ++k) {
            const Eigen::Quaternionf turn =
                orientation(frame, bound.first + k) * rig.orientation[k].conjugate().cast<float>();
            frames[k] = {turn, frame.position[bound.first + k] - turn * rig.position[k].cast<float>()};
        }
        std::vector<Eigen::Vector3f> places(bound.skin.vertex_count());
        bound.skin.dual_quaternion(frames, places);
        BodySkin& skin = result.emplace_back(BodySkin{bound.body, {}});
        skin.mesh.triangles = rig.skin.triangles;
        for (const Eigen::Vector3f& x : places) skin.mesh.vertices.push_back(x.cast<Real>());
    }
    return result;
}

}  // namespace pliant
