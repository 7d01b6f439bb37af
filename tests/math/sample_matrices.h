// Matrices that are easy, and matrices that are not, for the tests of decompositions.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class MatrixSource {
public:
    explicit MatrixSource(unsigned seed) : engine_(seed) {}

    Real number() { return normal_(engine_); }
    Vec3 vector() { return {number(), number(), number()}; }
    Mat3 matrix() {
        return Mat3::NullaryExpr([&] { return number(); });
    }
    Mat3 rotation() { return Quat(number(), number(), number(), number()).normalized().toRotationMatrix(); }
    Mat3 with_singular_values(const Vec3& sigma) { return rotation() * sigma.asDiagonal() * rotation().transpose(); }

private:
    std::mt19937 engine_;
    std::normal_distribution<Real> normal_;
};

struct SampleSet {
    std::string name;
    std::vector<Mat3> matrices;
};

inline std::vector<SampleSet> sample_sets(int size) {
    MatrixSource source(7);
    const auto fill = [&](auto&& make) {
        std::vector<Mat3> result;
        for (int i = 0; i < size; ++i) result.push_back(make(i));
        return result;
    };
    const auto ratio = [&] { return std::pow(10, -8 * std::abs(source.number())); };
    return {
        {"random", fill([&](int) { return source.matrix(); })},
        {"ill-conditioned", fill([&](int) {
             return source.with_singular_values({ratio(), ratio(), ratio()});
         })},
        {"two small values", fill([&](int) {
             return source.with_singular_values({1, 1e-8, 0.7e-8});
         })},
        {"two equal values", fill([&](int i) {
             return source.with_singular_values({1, 1, i % 2 ? 0.3 : 3});
         })},
        {"rotations", fill([&](int) { return source.rotation(); })},
        {"nearly rotations", fill([&](int) { return Mat3(source.rotation() + 1e-7 * source.matrix()); })},
        {"reflections", fill([&](int) { return Mat3(-source.rotation()); })},
        {"inverted", fill([&](int i) {
             return source.with_singular_values({1, 0.9, i % 2 ? -0.8 : -1e-6});
         })},
        {"rank two", fill([&](int) {
             return source.with_singular_values({1, 0.5, 0});
         })},
        {"rank one", fill([&](int) { return Mat3(source.vector() * source.vector().transpose()); })},
        {"zero", {Mat3::Zero()}},
        {"diagonal",
         {Vec3(1, 2, 3).asDiagonal(), Vec3(-1, 0, 0).asDiagonal(), Vec3(0, 0, 5).asDiagonal(), Mat3::Identity(),
          Vec3(1, 1e-20, -1e-20).asDiagonal(), Vec3(1e-12, 1, 1e-12).asDiagonal()}},
        {"constant", {Mat3::Ones(), -Mat3::Ones()}},
        {"shear", fill([&](int i) {
             Mat3 A = Mat3::Identity();
             A(i % 3, (i + 1) % 3) = std::pow(10.0, i % 7 - 1);
             return A;
         })},
    };
}

}  // namespace pliant
