// Bodies to make rigs of: formulas and built-in models, with a surface.
#pragma once

#include <functional>

#include "pliant/geometry/grid_shape.h"
#include "pliant/geometry/implicit.h"
#include "pliant/methods/oriented/rig_builder.h"
#include "pliant/shapes/models/models.h"

namespace pliant {

class FormulaShape : public Shape {
public:
    FormulaShape(std::function<Real(const Vec3&)> formula, const Box& bounds)
        : formula_(std::move(formula)), bounds_(bounds) {}
    Real distance(const Vec3& x) const override { return formula_(x); }
    Box bounds() const override { return bounds_; }

private:
    std::function<Real(const Vec3&)> formula_;
    Box bounds_;
};

struct Subject {
    ShapePtr shape;
    TriangleMesh surface;

    Rig rig(Real spacing) const {
        RigSettings settings;
        settings.spacing = spacing;
        return build_rig(*shape, surface, settings);
    }
};

inline Subject formula_body(std::function<Real(const Vec3&)> formula, const Vec3& half_size, Real resolution) {
    const auto shape = std::make_shared<FormulaShape>(std::move(formula), Box(-half_size, half_size));
    return {shape, shape->surface(resolution)};
}

inline Subject block(const Vec3& half_size, Real resolution) {
    return formula_body([=](const Vec3& x) { return implicit::rounded_box(x, Vec3::Zero(), half_size, 1e-3); },
                        half_size, resolution);
}

inline Subject model_body(const char* name) {
    const ShapePtr shape = make_model(name);
    return {baked(shape, 0.01), shape->surface(0.02)};
}

}  // namespace pliant
