#include "pliant/output/ray_scene.h"

#include <embree3/rtcore.h>
#include <fmt/core.h>

#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/output/ellipsoid.h"

namespace pliant {

namespace {

constexpr float farthest_thing = 1e4f;  // picture units; what is farther off is not drawn
constexpr float first_step = 1e-5f;     // a ray sees nothing nearer than this

using Vector3 = Eigen::Vector3f;

// The intersection calls of Embree for one ellipsoid and one ray.
void bound_ellipsoid(const RTCBoundsFunctionArguments* call) {
    const Ellipsoid& e = static_cast<const std::vector<Ellipsoid>*>(call->geometryUserPtr)->operator[](call->primID);
    const Vector3 low = e.centre - e.half_extent, high = e.centre + e.half_extent;
    *call->bounds_o = {low.x(), low.y(), low.z(), 0, high.x(), high.y(), high.z(), 0};
}

float distance_to(const void* ellipsoids, unsigned index, const RTCRay& ray) {
    const Ellipsoid& e = static_cast<const std::vector<Ellipsoid>*>(ellipsoids)->operator[](index);
    return e.distance({ray.org_x, ray.org_y, ray.org_z}, {ray.dir_x, ray.dir_y, ray.dir_z}, ray.tnear, ray.tfar);
}

void intersect_ellipsoid(const RTCIntersectFunctionNArguments* call) {
    auto* hit = reinterpret_cast<RTCRayHit*>(call->rayhit);
    const float distance = call->valid[0] ? distance_to(call->geometryUserPtr, call->primID, hit->ray) : -1;
    if (distance < 0) return;
    hit->ray.tfar = distance;
    hit->hit.geomID = call->geomID;
    hit->hit.primID = call->primID;
    hit->hit.instID[0] = call->context->instID[0];
}

void block_by_ellipsoid(const RTCOccludedFunctionNArguments* call) {
    auto* ray = reinterpret_cast<RTCRay*>(call->ray);
    if (call->valid[0] && distance_to(call->geometryUserPtr, call->primID, *ray) >= 0) {
        ray->tfar = -std::numeric_limits<float>::infinity();
    }
}

void let_light_pass(const RTCFilterFunctionNArguments* call) {
    call->valid[0] = 0;
}

RTCRay embree_ray(const Ray& ray) {
    RTCRay result{};
    result.org_x = ray.origin.x();
    result.org_y = ray.origin.y();
    result.org_z = ray.origin.z();
    result.tnear = first_step;
    result.dir_x = ray.direction.x();
    result.dir_y = ray.direction.y();
    result.dir_z = ray.direction.z();
    result.tfar = std::numeric_limits<float>::infinity();
    result.mask = ~0u;
    return result;
}

bool is_drawable(const Vector3& centre, float radius) {
    return centre.allFinite() && centre.cwiseAbs().maxCoeff() < farthest_thing && radius > 0 && radius < farthest_thing;
}

}  // namespace

struct RayScene::Tree {
    struct Mesh {
        std::vector<Vector3> normals;  // a vertex each; empty: flat
        std::vector<Colour> colours;   // a vertex each; empty: `colour`
        std::vector<std::array<int, 3>> triangles;
        Colour colour;
        float translucency;
        bool is_clear;
    };

    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    std::vector<Eigen::Vector4f> balls;  // centre and radius
    std::vector<Ellipsoid> ellipsoids;
    std::vector<Colour> colours;  // of balls or ellipsoids
    std::vector<Mesh> meshes;     // geometry number 1 and on; 0 are the particles

    Tree() {
        // A fixed number of threads, since the order of things in the tree depends on it.
        device = rtcNewDevice("threads=4");
        if (!device) throw Error("the ray tracer (Embree) does not start on this machine");
        scene = rtcNewScene(device);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    }
    ~Tree() {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }

    void add_particles(const RenderParticles& particles, const Vec3& centre, Real scale, double radius_scale) {
        const bool has_deformation = !particles.deformation.empty();
        for (std::size_t i = 0; i < particles.centre.size(); ++i) {
            const Vector3 c = (scale * (particles.centre[i].cast<Real>() - centre)).cast<float>();
            const float r = float(scale * radius_scale * double(particles.radius[i]));
            if (!is_drawable(c, r)) continue;
            if (has_deformation) {
                ellipsoids.emplace_back(c, r, particles.deformation[i]);
            } else {
                balls.emplace_back(c.x(), c.y(), c.z(), r);
            }
            colours.push_back(particles.colour[i]);
        }
        if (!balls.empty()) attach_balls();
        if (!ellipsoids.empty()) attach_ellipsoids();
    }

    void attach(RTCGeometry geometry, unsigned number) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(scene, geometry, number);
        rtcReleaseGeometry(geometry);
    }

    void attach_balls() {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, balls.data(), 0,
                                   sizeof(Eigen::Vector4f), balls.size());
        attach(geometry, 0);
    }

    void attach_ellipsoids() {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(ellipsoids.size()));
        rtcSetGeometryUserData(geometry, &ellipsoids);
        rtcSetGeometryBoundsFunction(geometry, bound_ellipsoid, nullptr);
        rtcSetGeometryIntersectFunction(geometry, intersect_ellipsoid);
        rtcSetGeometryOccludedFunction(geometry, block_by_ellipsoid);
        attach(geometry, 0);
    }

    void add_mesh(const RenderMesh& source, const Vec3& centre, Real scale);
    void shade_ball(const Vector3& point, unsigned index, Hit& hit) const;
    void shade_mesh(const RTCHit& found, const Vector3& direction, Hit& hit) const;
};

void RayScene::Tree::add_mesh(const RenderMesh& source, const Vec3& centre, Real scale) {
    meshes.push_back(
        {{}, source.vertex_colour, source.mesh.triangles, source.colour, source.translucency, source.is_clear});
    if (source.is_smooth) {
        for (const Vec3& n : source.mesh.vertex_normals()) meshes.back().normals.push_back(n.cast<float>());
    }
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    const std::size_t vertices = source.mesh.vertices.size(), triangles = source.mesh.triangles.size();
    auto* x = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertices));
    auto* corners = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), triangles));
    for (std::size_t i = 0; i < vertices; ++i) {
        Eigen::Map<Vector3>(x + 3 * i) = (scale * (source.mesh.vertices[i] - centre)).cast<float>();
    }
    for (std::size_t t = 0; t < triangles; ++t) {
        for (std::size_t k = 0; k < 3; ++k) corners[3 * t + k] = unsigned(source.mesh.triangles[t][k]);
    }
    if (source.is_clear) rtcSetGeometryOccludedFilterFunction(geometry, let_light_pass);
    attach(geometry, static_cast<unsigned>(meshes.size()));
}

void RayScene::Tree::shade_ball(const Vector3& point, unsigned index, Hit& hit) const {
    hit.normal =
        ellipsoids.empty() ? Vector3((point - balls[index].head<3>()).normalized()) : ellipsoids[index].normal(point);
    hit.colour = colours[index];
    hit.is_round = true;
    hit.face = hit.normal;
}

void RayScene::Tree::shade_mesh(const RTCHit& found, const Vector3& direction, Hit& hit) const {
    const Mesh& mesh = meshes[found.geomID - 1];
    const auto& corner = mesh.triangles[found.primID];
    const auto blend = [&](const std::vector<Vector3>& values) -> Vector3 {
        return (1 - found.u - found.v) * values[std::size_t(corner[0])] + found.u * values[std::size_t(corner[1])] +
               found.v * values[std::size_t(corner[2])];
    };
    hit.face = Vector3(found.Ng_x, found.Ng_y, found.Ng_z).normalized();
    hit.normal = hit.face;
    if (!mesh.normals.empty()) {
        const Vector3 smooth = blend(mesh.normals);
        if (smooth.norm() > 1e-6f) hit.normal = smooth.normalized();
    }
    hit.is_left = hit.face.dot(direction) > 0;
    if (hit.is_left) {  // seen from the back: both sides look alike
        hit.face = -hit.face;
        hit.normal = -hit.normal;
    }
    hit.colour = mesh.colours.empty() ? mesh.colour : blend(mesh.colours);
    hit.translucency = mesh.translucency;
    hit.is_clear = mesh.is_clear;
    hit.mesh = int(found.geomID) - 1;
}

RayScene::RayScene(const RenderScene& scene, const Vec3& centre, Real scale, double radius_scale)
    : tree_(std::make_unique<Tree>()) {
    tree_->add_particles(scene.particles, centre, scale, radius_scale);
    for (const RenderMesh& mesh : scene.meshes) tree_->add_mesh(mesh, centre, scale);
    rtcCommitScene(tree_->scene);
    if (const RTCError error = rtcGetDeviceError(tree_->device); error != RTC_ERROR_NONE) {
        throw Error(
            fmt::format("the ray tracer (Embree) cannot take the scene: error {}; is memory short?", int(error)));
    }
}

RayScene::~RayScene() = default;

Hit RayScene::closest(const Ray& ray) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit found{};
    found.ray = embree_ray(ray);
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(tree_->scene, &context, &found);
    Hit hit;
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return hit;
    hit.distance = found.ray.tfar;
    if (found.hit.geomID == 0) {
        tree_->shade_ball(ray.origin + hit.distance * ray.direction, found.hit.primID, hit);
    } else {
        tree_->shade_mesh(found.hit, ray.direction, hit);
    }
    return hit;
}

bool RayScene::is_blocked(const Ray& ray) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay test = embree_ray(ray);
    rtcOccluded1(tree_->scene, &context, &test);
    return test.tfar < 0;
}

}  // namespace pliant
