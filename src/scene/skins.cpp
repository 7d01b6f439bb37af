#include "pliant/scene/skins.h"

#include <array>

#include "pliant/methods/oriented/rig.h"

namespace pliant {

BodySkins::BodySkins(const Model& model) {
    std::size_t first = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const auto& rig = model.bodies[b].rig;
        if (!rig) continue;
        if (rig->weights.size() > 0) {
            const std::vector<Eigen::Vector3f> vertices(rig->weights.size(), Eigen::Vector3f::Zero());
            skins_.push_back({b, first, rig, Skin(rig->skin, rig->weights, rig->size()), {}, vertices, vertices});
        }
        first += rig->size();
    }
}

std::size_t BodySkins::vertex_count() const {
    std::size_t count = 0;
    for (const Bound& bound : skins_) count += bound.skin.vertex_count();
    return count;
}

void BodySkins::take_poses(const ParticleFrame& frame) {
    std::array<const ParticleQuantity*, 4> part{};
    for (int k = 0; k < 4; ++k) part[k] = frame.find_quantity(std::string("orientation_") + "wxyz"[k]);
    const bool is_turned = part[0] && part[1] && part[2] && part[3];
    for (Bound& bound : skins_) {
        const Rig& rig = *bound.rig;
        const bool is_there = is_turned && bound.first + rig.size() <= frame.size();
        bound.pose.resize(is_there ? rig.size() : 0);
        for (std::size_t k = 0; k < bound.pose.size(); ++k) {
            const std::size_t i = bound.first + k;
            const Eigen::Quaternionf now(part[0]->values[i], part[1]->values[i], part[2]->values[i],
                                         part[3]->values[i]);
            const Eigen::Quaternionf turn = now.normalized() * rig.orientation[k].conjugate().cast<float>();
            bound.pose[k] = {turn, frame.position[i] - turn * rig.position[k].cast<float>()};
        }
    }
}

void BodySkins::carry(Blending blending) {
    for (Bound& bound : skins_) {
        if (bound.pose.empty()) continue;
        if (blending == Blending::linear) {
            bound.skin.linear(bound.pose, bound.positions, bound.normals);
        } else {
            bound.skin.dual_quaternion(bound.pose, bound.positions, bound.normals);
        }
    }
}

std::vector<BodySkin> BodySkins::at(const ParticleFrame& frame) {
    take_poses(frame);
    carry(Blending::dual_quaternion);
    std::vector<BodySkin> result;
    for (const Bound& bound : skins_) {
        if (bound.pose.empty()) continue;
        BodySkin& skin = result.emplace_back(BodySkin{bound.body, {}});
        skin.mesh.triangles = bound.rig->skin.triangles;
        for (const Eigen::Vector3f& x : bound.positions) skin.mesh.vertices.push_back(x.cast<Real>());
    }
    return result;
}

}  // namespace pliant
