// All of Bullet's objects are made anew in each step: what it remembers of the last would make a restart differ.
#include "pliant/contact/rigid_solver.h"

#include <BulletCollision/CollisionShapes/btEmptyShape.h>
#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <deque>
#include <memory>

#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

static_assert(sizeof(btScalar) == sizeof(Real), "Bullet must be the build for double precision");

constexpr int iterations = 60;
constexpr Real recovery = 0.2;  // part of an overlap that goes away in a step

btVector3 to_bullet(const Vec3& v) {
    return btVector3(v.x(), v.y(), v.z());
}
Vec3 from_bullet(const btVector3& v) {
    return Vec3(v.x(), v.y(), v.z());
}
btTransform to_bullet(const Mat3& R, const Vec3& x) {
    return btTransform(btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
                       to_bullet(x));
}
Mat3 from_bullet(const btMatrix3x3& m) {
    Mat3 R;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) R(row, column) = m[row][column];
    }
    return R;
}

std::unique_ptr<btRigidBody> make_body(const SolverBody& from, btCollisionShape& shape) {
    const bool moves = from.inverse_mass > 0;
    btRigidBody::btRigidBodyConstructionInfo info(moves ? 1 / from.inverse_mass : 0, nullptr, &shape,
                                                  to_bullet(from.inertia));
    info.m_startWorldTransform = to_bullet(from.axes, from.centre);
    auto body = std::make_unique<btRigidBody>(info);
    body->setFlags(0);  // turning freely is not Bullet's task
    if (!moves) body->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
    body->setLinearVelocity(to_bullet(from.velocity));
    body->setAngularVelocity(to_bullet(from.angular_velocity));
    body->updateInertiaTensor();
    return body;
}

btManifoldPoint make_point(const RigidContact& contact, const btRigidBody& a, const btRigidBody& b) {
    const btVector3 on_b = to_bullet(contact.point), on_a = to_bullet(contact.point + contact.gap * contact.normal);
    btManifoldPoint point(a.getWorldTransform().inverse() * on_a, b.getWorldTransform().inverse() * on_b,
                          to_bullet(contact.normal), contact.gap);
    point.m_positionWorldOnA = on_a;
    point.m_positionWorldOnB = on_b;
    point.m_combinedFriction = contact.friction;
    point.m_combinedRestitution = contact.restitution;
    return point;
}

btContactSolverInfo solver_settings(Real dt) {
    btContactSolverInfo info;
    info.m_timeStep = dt;
    info.m_numIterations = iterations;
    info.m_erp2 = recovery;
    info.m_splitImpulse = 1;
    info.m_splitImpulsePenetrationThreshold = 1e30;  // all overlaps go away without leaving speed behind
    info.m_restitutionVelocityThreshold = 0;         // find_contacts() has decided
    info.m_linearSlop = 0;
    info.m_solverMode = SOLVER_USE_2_FRICTION_DIRECTIONS;
    return info;
}

// The rotation vector of a small turn, from R to R' = exp([w]x) R.
Vec3 turn_between(const Mat3& from, const Mat3& to) {
    return axial(to * from.transpose());
}

}  // namespace

void solve_contacts(std::vector<SolverBody>& bodies, const std::vector<RigidContact>& contacts, Real dt) {
    btEmptyShape shape;
    std::vector<std::unique_ptr<btRigidBody>> made;
    std::vector<btCollisionObject*> objects;
    for (const SolverBody& body : bodies) {
        made.push_back(make_body(body, shape));
        made.back()->setCompanionId(-1);
        objects.push_back(made.back().get());
    }
    std::deque<btPersistentManifold> manifolds;  // of at most four points each
    std::vector<btPersistentManifold*> listed;
    for (const RigidContact& contact : contacts) {
        btRigidBody &a = *made[contact.a], &b = *made[contact.b];
        const bool fits = !listed.empty() && listed.back()->getBody0() == &a && listed.back()->getBody1() == &b &&
                          listed.back()->getNumContacts() < MANIFOLD_CACHE_SIZE;
        if (!fits) {
            manifolds.emplace_back(&a, &b, 0, 1e30, 1e30);
            listed.push_back(&manifolds.back());
        }
        listed.back()->addManifoldPoint(make_point(contact, a, b));
    }
    btSequentialImpulseConstraintSolver solver;
    solver.solveGroup(objects.data(), int(objects.size()), listed.data(), int(listed.size()), nullptr, 0,
                      solver_settings(dt), nullptr, nullptr);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        SolverBody& body = bodies[i];
        if (body.inverse_mass == 0) continue;
        body.velocity = from_bullet(made[i]->getLinearVelocity());
        body.angular_velocity = from_bullet(made[i]->getAngularVelocity());
        body.shift = from_bullet(made[i]->getWorldTransform().getOrigin()) - body.centre;
        body.turn = turn_between(body.axes, from_bullet(made[i]->getWorldTransform().getBasis()));
    }
}

}  // namespace pliant
