#include "pliant/methods/oriented/contact.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace pliant {
namespace {

using Vector = Eigen::Vector3f;

float inverse_mass_along(const Vector& u, std::uint32_t i, const Vector& arm, const WorkingParticles& working,
                         const ContactBodies& bodies) {
    const Vector torque = arm.cross(u);
    return working.particle[i].inverse_mass + torque.dot(bodies.inverse_inertia[i] * torque);
}

void shift(std::uint32_t i, const Vector& impulse, const Vector& arm, WorkingParticles& working,
           const ContactBodies& bodies) {
    WorkingParticle& particle = working.particle[i];
    Eigen::Map<Vector>(particle.x) += particle.inverse_mass * impulse;
    const Eigen::Matrix3f& inverse_inertia = bodies.inverse_inertia[i];
    if (inverse_inertia(0, 0) == 0) return;
    const Vector w = 0.5f * (inverse_inertia * arm.cross(impulse));
    Turn& t = working.turn[i];
    Eigen::Quaternionf q = Eigen::Quaternionf(1, w.x(), w.y(), w.z()) * Eigen::Quaternionf(t.w, t.x, t.y, t.z);
    q.normalize();
    t = {q.w(), q.x(), q.y(), q.z()};
    working.refresh_moment(i);
}

// What the point of contact has moved by since the step began.
Vector displacement(std::uint32_t i, const Vector& arm, const WorkingParticles& working, const ContactBodies& bodies) {
    const Vector moved = Eigen::Map<const Vector>(working.particle[i].x) - bodies.start[i];
    if (bodies.inverse_inertia[i](0, 0) == 0) return moved;
    const Turn &now = working.turn[i], &then = bodies.start_turn[i];
    const Eigen::Quaternionf turned =
        Eigen::Quaternionf(now.w, now.x, now.y, now.z) * Eigen::Quaternionf(then.w, then.x, then.y, then.z).conjugate();
    return moved + (turned.w() < 0 ? -2.0f : 2.0f) * turned.vec().cross(arm);
}

}  // namespace

void set_masses(Contact& c, const WorkingParticles& working, const ContactBodies& bodies) {
    const auto can_turn = [&](std::uint32_t i) { return bodies.inverse_inertia[i](0, 0) != 0; };
    c.turns = can_turn(c.a) || (c.b != obstacle && can_turn(c.b));
    if (!c.turns) {
        const float total =
            working.particle[c.a].inverse_mass + (c.b != obstacle ? working.particle[c.b].inverse_mass : 0);
        c.normal_mass = c.tangent_mass = total > 0 ? 1 / total : 0;
        c.from = bodies.start[c.a] + (c.b == obstacle ? c.slide : Vector(-bodies.start[c.b]));
        return;
    }
    Vector along = std::abs(c.normal.x()) < 0.6f ? Vector::UnitX() : Vector::UnitY();
    along = (along - along.dot(c.normal) * c.normal).normalized();
    float normal = inverse_mass_along(c.normal, c.a, c.arm_a, working, bodies);
    float tangent = inverse_mass_along(along, c.a, c.arm_a, working, bodies);
    if (c.b != obstacle) {
        normal += inverse_mass_along(c.normal, c.b, c.arm_b, working, bodies);
        tangent += inverse_mass_along(along, c.b, c.arm_b, working, bodies);
    }
    c.normal_mass = normal > 0 ? 1 / normal : 0;
    c.tangent_mass = tangent > 0 ? 1 / tangent : 0;
}

namespace {

float pushed(const Contact& c, float gap) {
    const float wanted = c.lambda - c.normal_mass * gap;
    return c.holds ? wanted : std::max(0.0f, wanted);
}
Vector rubbed(const Contact& c, const Vector& slip) {
    const Vector across = slip - slip.dot(c.normal) * c.normal;
    const Vector tangent = c.tangent - c.tangent_mass * across;
    const float size = tangent.norm(), most = c.friction * std::abs(c.lambda);
    return size > most ? Vector(tangent * (most / size)) : tangent;
}

// Where nothing turns, a push along the normal does not change how far they have slid: both are done at once.
void push_straight(Contact& c, WorkingParticles& working) {
    WorkingParticle spare = {};
    WorkingParticle &a = working.particle[c.a], &b = c.b == obstacle ? spare : working.particle[c.b];
    Eigen::Map<Vector> x_a(a.x), x_b(b.x);
    const Vector apart = x_a - x_b;
    const float before = c.lambda;
    c.lambda = pushed(c, c.offset - c.normal.dot(apart));
    if (c.lambda == 0 && before == 0) return;
    Vector on_a = (before - c.lambda) * c.normal;
    if (c.friction != 0) {
        const Vector tangent = rubbed(c, apart - c.from);
        on_a += tangent - c.tangent;
        c.tangent = tangent;
    }
    x_a += a.inverse_mass * on_a;
    x_b -= b.inverse_mass * on_a;
}

}  // namespace

void push(Contact& c, WorkingParticles& working, const ContactBodies& bodies) {
    if (!c.turns) return push_straight(c, working);
    const auto place = [&](std::uint32_t i) { return Vector(Eigen::Map<const Vector>(working.particle[i].x)); };
    const Vector apart = (c.b == obstacle ? Vector(Vector::Zero()) : place(c.b)) - place(c.a);
    const float gap = c.offset + c.normal.dot(apart);
    const float before = c.lambda;
    c.lambda = pushed(c, gap);
    if (c.lambda == 0 && before == 0) return;
    const auto apply = [&](const Vector& on_a) {
        shift(c.a, on_a, c.arm_a, working, bodies);
        if (c.b != obstacle) shift(c.b, -on_a, c.arm_b, working, bodies);
    };
    apply((before - c.lambda) * c.normal);
    if (c.friction == 0) return;
    Vector slip = displacement(c.a, c.arm_a, working, bodies);
    slip -= c.b == obstacle ? c.slide : displacement(c.b, c.arm_b, working, bodies);
    const Vector tangent = rubbed(c, slip);
    apply(tangent - c.tangent);
    c.tangent = tangent;
}

}  // namespace pliant
