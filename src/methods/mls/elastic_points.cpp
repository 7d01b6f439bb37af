#include "pliant/methods/mls/elastic_points.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/linear/power_iteration.h"
#include "pliant/math/svd.h"
#include "pliant/math/symmetric.h"

namespace pliant {
namespace {

constexpr std::size_t packs_a_block = 64;
constexpr Real alike = 1e-6;     // stretches whose difference says nothing
constexpr Real nothing = 1e-12;  // of a neighbourhood's moment: left out by rounding

// Four sums over a row. Two in turn for each, by add(n, into): neither waits for the other.
template <class Add>
[[gnu::always_inline]] inline void add_up(std::size_t count, Add&& add, Double4 (&sum)[4]) {
    Double4 even[4] = {Double4(0), Double4(0), Double4(0), Double4(0)};
    Double4 odd[4] = {Double4(0), Double4(0), Double4(0), Double4(0)};
    std::size_t n = 0;
    for (; n + 1 < count; n += 2) {
        add(n, even);
        add(n + 1, odd);
    }
    if (n < count) add(n, even);
    for (std::size_t c = 0; c < 4; ++c) sum[c] = even[c] + odd[c];
}

// Q for the moments H and (1 - Pi) A, and the sum of its sigma: tr(Q^T H A^T (1 - Pi)).
struct LeftOut {
    Mat3 Q = Mat3::Zero();
    Real sum = 0;
};
LeftOut turn_of_left_out(const Mat3& H, const Mat3& left_out, Real trace) {
    const Svd C = svd(H * left_out.transpose());
    LeftOut result;
    for (int k = 0; k < 2; ++k) {
        if (!(C.sigma[k] > nothing * trace)) continue;
        result.Q += C.U.col(k) * C.V.col(k).transpose();
        result.sum += C.sigma[k];
    }
    return result;
}

}  // namespace

void ElasticPoints::prepare(const ParticleState& state, const Model& model) {
    const std::size_t n = state.size(), packs = pack_count(n);
    for (auto* array : {&twice_mu_, &lambda_, &rest_stress_, &beta_}) resize_discarding(*array, packs);
    for (auto* array : {&X_, &centre_, &y_}) resize_discarding(*array, 4 * packs);
    resize_discarding(stress_, 16 * packs);
    first_.resize(n);
    for (const BodyRange& range : body_ranges(state, model.bodies.size())) {
        std::fill_n(first_.begin() + std::ptrdiff_t(range.first), range.size(), std::uint32_t(range.first));
    }
    resize_discarding(rotation_, packs);
    std::fill(rotation_.begin(), rotation_.end(), WideMat3<Double4>::identity());
    const Quad none = {0, 0, 0, 0};
    for (auto* array : {&X_, &centre_, &y_}) std::fill(array->begin() + std::ptrdiff_t(n), array->end(), none);
    for (std::size_t i = 0; i < 4 * packs; ++i) {
        const int lane = static_cast<int>(i % 4);
        const Moduli moduli = i < n ? model.material_of(state.body[i]).moduli : Moduli{};
        const Real V = i < n ? state.rest_volume[i] : 0;
        twice_mu_[i / 4].set(lane, 2 * V * moduli.mu);
        lambda_[i / 4].set(lane, V * moduli.lambda);
    }
    const auto is_corotated = [](const Material& material) {
        return std::holds_alternative<CorotatedElasticity>(material.elasticity);
    };
    if (!std::all_of(model.materials.begin(), model.materials.end(), is_corotated)) tangent_.resize(packs);
}

void ElasticPoints::take_rest_shape() {
    const auto reference = rest_.reference();
    parallel_for(rest_.size(), [&](std::size_t i) {
        const RestRow row = rest_.row(i);
        Vec3 sum = Vec3::Zero();
        Real total = 0;
        for (std::size_t n = 0; n < row.index.size(); ++n) {
            sum += Real(row.weight[n]) * (reference[row.index[n]] - reference[i]);
            total += Real(row.weight[n]);
        }
        const Vec3 X = reference[i] - reference[first_[i]];
        X_[i] = {X.x(), X.y(), X.z(), 0};
        centre_[i] = {sum.x(), sum.y(), sum.z(), total};
    });
    parallel_for(4 * pack_count(rest_.size()), [&](std::size_t i) {
        const int lane = static_cast<int>(i % 4);
        const bool exists = i < rest_.size() && rest_.trace(i) > 0;
        const Moduli moduli = {mu_volume(i), lambda_volume(i)};  // times V
        rest_stress_[i / 4].set(lane, exists ? 2 * moduli.mu + rest_.rank(i) * moduli.lambda : 0);
        beta_[i / 4].set(lane, exists ? stabilisation_ * moduli.young() / rest_.trace(i) : 0);
    });
}

// From the first particle of the body, so that no digits are lost far from the origin.
void ElasticPoints::set_positions(std::span<const Vec3> y) {
    parallel_for(y.size(), [&](std::size_t i) {
        const Vec3 from = y[i] - y[first_[i]];
        y_[i] = {from.x(), from.y(), from.z(), 0};
    });
}

// H = sum_j w_ij y_ij X_ij^T of four particles, and sum_j w_ij y_ij of each:
//     sum_j w_ij y_j X_j^T - (sum_j w_ij y_j) X_i^T - y_i (sum_j w_ij X_ij)^T
WideMat3<Double4> ElasticPoints::moments(std::size_t pack, Double4 (&change)[4]) const {
    using simd::fma;
    Double4 H[4][3];
    for (std::size_t l = 0; l < 4; ++l) {
        const std::size_t i = 4 * pack + l;
        const RestRow row = i < rest_.size() ? rest_.row(i) : RestRow{};
        Double4 sum[4];
        const auto add = [&](std::size_t n, Double4(&into)[4]) {
            const std::size_t j = row.index[n], later = row.index.data()[n + look_ahead];
            __builtin_prefetch(&y_[later]);
            __builtin_prefetch(&X_[later]);
            const Double4 wy = Double4(row.weight[n]) * y_[j].load();
            into[0] = fma(wy, Double4(X_[j].x), into[0]);
            into[1] = fma(wy, Double4(X_[j].y), into[1]);
            into[2] = fma(wy, Double4(X_[j].z), into[2]);
            into[3] = into[3] + wy;
        };
        add_up(row.index.size(), add, sum);
        const Double4 y = y_[i].load();
        const Quad &X = X_[i], &centre = centre_[i];
        H[l][0] = sum[0] - fma(sum[3], Double4(X.x), y * Double4(centre.x));
        H[l][1] = sum[1] - fma(sum[3], Double4(X.y), y * Double4(centre.y));
        H[l][2] = sum[2] - fma(sum[3], Double4(X.z), y * Double4(centre.z));
        change[l] = sum[3] - y * Double4(centre.w);
    }
    WideMat3<Double4> wide;
    for (int c = 0; c < 3; ++c) {
        Double4 v[4] = {H[0][c], H[1][c], H[2][c], H[3][c]};
        transpose_square(v);
        wide.column[c] = {v[0], v[1], v[2]};
    }
    return wide;
}

WideMat3<Double4> ElasticPoints::deformation(std::size_t pack) const {
    Double4 change[4];
    return moments(pack, change) * rest_.N(pack);
}

template <bool with_rest>
WideMat3<Double4> ElasticPoints::corotated_stress(std::size_t k, const WideMat3<Double4>& F) const {
    using simd::fma;
    const WideMat3<Double4>& R = rotation_[k];
    const WideMat3<Double4> M = transpose_times(R, F);
    const auto& c = M.column;
    const Double4 mu(twice_mu_[k] * Double4(0.5));
    Double4 pressure = lambda_[k] * (c[0].x + c[1].y + c[2].z);
    if constexpr (with_rest) pressure -= rest_stress_[k];
    WideMat3<Double4> S;
    S.column[0] = {fma(twice_mu_[k], c[0].x, pressure), mu * (c[0].y + c[1].x), mu * (c[0].z + c[2].x)};
    S.column[1] = {S.column[0].y, fma(twice_mu_[k], c[1].y, pressure), mu * (c[1].z + c[2].y)};
    S.column[2] = {S.column[0].z, S.column[1].z, fma(twice_mu_[k], c[2].z, pressure)};
    return R * S;
}

template <bool with_rest>
WideMat3<Double4> ElasticPoints::linearised_stress(const Tangent& t, const WideMat3<Double4>& F) {
    using simd::fma;
    const WideMat3<Double4> M = transpose_times(t.U, F * t.V);
    const auto& c = M.column;
    const Double4 x = c[0].x, y = c[1].y, z = c[2].z, half(0.5);
    const auto shear = [&](int k, Double4 upper, Double4 lower, Double4& B_upper, Double4& B_lower) {
        const Double4 sum = half * (t.a[k] + t.b[k]), difference = half * (t.a[k] - t.b[k]);
        B_upper = fma(sum, upper, difference * lower);
        B_lower = fma(sum, lower, difference * upper);
    };
    WideMat3<Double4> B;
    auto& r = B.column;
    r[0].x = fma(t.H[0], x, fma(t.H[5], y, t.H[4] * z));
    r[1].y = fma(t.H[5], x, fma(t.H[1], y, t.H[3] * z));
    r[2].z = fma(t.H[4], x, fma(t.H[3], y, t.H[2] * z));
    shear(0, c[2].y, c[1].z, r[2].y, r[1].z);
    shear(1, c[2].x, c[0].z, r[2].x, r[0].z);
    shear(2, c[1].x, c[0].y, r[1].x, r[0].y);
    WideMat3<Double4> P = times_transpose(t.U * B, t.V);
    if constexpr (with_rest) P = P - t.P * Double4(-1);
    return P;
}

// Where a neighbourhood of the pack does not span space: T -= beta Q A.
void ElasticPoints::add_rest_of_flat(std::size_t pack, const WideMat3<Double4>& H, WideMat3<Double4>& T) const {
    for (int l = 0; l < 4; ++l) {
        const std::size_t i = 4 * pack + std::size_t(l);
        if (i >= rest_.size() || rest_.rank(i) == 3 || !(beta_[pack][l] > 0)) continue;
        const Mat3 QA = turn_of_left_out(lane_of(H, l), rest_.left_out(i), rest_.trace(i)).Q * rest_.left_out(i);
        set_lane(T, l, Mat3(lane_of(T, l) - beta_[pack][l] * QA));
    }
}

// T, and what each particle owes to its own: T_i (sum_j w X_ij) + beta_i (sum_j w y_ij)
template <bool with_rest>
void ElasticPoints::stresses(std::span<Vec3> own) {
    using simd::fma;
    const auto stress_of = [&](std::size_t k) {
        Double4 change[4];
        const WideMat3<Double4> H = moments(k, change), &N = rest_.N(k), F = H * N;
        const WideMat3<Double4> P =
            tangent_.empty() ? corotated_stress<with_rest>(k, F) : linearised_stress<with_rest>(tangent_[k], F);
        WideMat3<Double4> T = times_transpose(P, N) - H * rest_.G(k) * beta_[k];
        if constexpr (with_rest) add_rest_of_flat(k, H, T);
        Double4 columns[3][4];
        for (int c = 0; c < 3; ++c) {
            const auto& t = T.column[c];
            Double4(&v)[4] = columns[c];
            v[0] = t.x, v[1] = t.y, v[2] = t.z, v[3] = c == 0 ? beta_[k] : Double4(0);
            transpose_square(v);
        }
        for (std::size_t l = 0; l < 4; ++l) {
            const std::size_t i = 4 * k + l;
            const Double4 a = columns[0][l], b = columns[1][l], c = columns[2][l], y = y_[i].load();
            const Quad &X = X_[i], &centre = centre_[i];
            Quad* into = &stress_[4 * i];
            into[0].store(a);
            into[1].store(b);
            into[2].store(c);
            const Double4 beta(beta_[k][int(l)]);
            const auto times = [&](const Quad& p, Double4 q) {
                return fma(a, Double4(p.x), fma(b, Double4(p.y), fma(c, Double4(p.z), beta * q)));
            };
            into[3].store(times(X, y));
            const Double4 f = times(centre, change[l]);
            if (i < own.size()) own[i] = Vec3(f[0], f[1], f[2]);
        }
    };
    parallel_for(pack_count(rest_.size()), stress_of, packs_a_block);
}

// The corotated law in the form of the others: U = R Pi, V = 1, a = 2 mu, b = 0.
void ElasticPoints::linearise_corotated(std::size_t i) {
    const int l = static_cast<int>(i % 4);
    Tangent& t = tangent_[i / 4];
    const Real mu = mu_volume(i), lambda = lambda_volume(i);
    set_lane(t.U, l, rotation(i));
    set_lane(t.V, l, Mat3(Mat3::Identity()));
    for (int k = 0; k < 3; ++k) {
        t.H[k].set(l, 2 * mu + lambda);
        t.H[3 + k].set(l, lambda);
        t.a[k].set(l, 2 * mu);
        t.b[k].set(l, 0);
    }
    set_lane(t.P, l, Mat3(-rest_stress_[i / 4][l] * rotation(i)));
}

void ElasticPoints::linearise(std::size_t i, const Elasticity& law, const Svd& F) {
    if (std::holds_alternative<CorotatedElasticity>(law) || rest_.rank(i) < 3) return linearise_corotated(i);
    const int l = static_cast<int>(i % 4);
    const Real V = mu_volume(i) / moduli_of(law).mu;
    const Vec3 P = V * principal_stress(law, F.sigma), &s = F.sigma;
    const SymmetricEigen eigen = symmetric_eigen(V * principal_tangent(law, F.sigma));
    const Mat3 H = eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
    Tangent& t = tangent_[i / 4];
    set_lane(t.U, l, F.U);
    set_lane(t.V, l, F.V);
    for (int k = 0; k < 3; ++k) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        const Real difference = s[m] - s[n], sum = s[m] + s[n];
        const bool are_alike = std::abs(difference) < alike * (1 + std::abs(s[m]));
        const Real a = are_alike ? H(m, m) - H(m, n) : (P[m] - P[n]) / difference;
        t.H[k].set(l, H(k, k));
        t.H[3 + k].set(l, H(m, n));
        t.a[k].set(l, std::max(Real(0), a));
        t.b[k].set(l, std::max(Real(0), (P[m] + P[n]) / std::max(sum, alike)));
    }
    const Vec3 flat = H * s;  // of A = diag(sigma): no shear
    set_lane(t.P, l, Mat3(F.U * (P - flat).asDiagonal() * F.V.transpose()));
}

// sum_j w ((T_i + T_j) X_ij + (beta_i + beta_j) y_ij), sorted by what belongs to j alone:
//     sum_j w (T_j X_j + beta_j y_j) - (sum_j w T_j) X_i - (sum_j w beta_j) y_i + own_i
template <class Take>
void ElasticPoints::gather(std::span<const Vec3> own, Take&& take) {
    using simd::fma;
    parallel_for(rest_.size(), [&](std::size_t i) {
        const RestRow row = rest_.row(i);
        const auto add = [&](std::size_t n, Double4(&into)[4]) {
            const Quad *q = &stress_[4 * std::size_t(row.index[n])],
                       *later = &stress_[4 * std::size_t(row.index.data()[n + look_ahead])];
            __builtin_prefetch(later);
            __builtin_prefetch(later + 2);
            const Double4 w(row.weight[n]);
            for (std::size_t c = 0; c < 4; ++c) into[c] = fma(w, q[c].load(), into[c]);
        };
        Double4 sum[4];
        add_up(row.index.size(), add, sum);
        const Quad& X = X_[i];
        Double4 total = sum[3] - Double4(sum[0][3]) * y_[i].load();
        total = total - sum[0] * Double4(X.x) - sum[1] * Double4(X.y) - sum[2] * Double4(X.z);
        take(i, Vec3(Vec3(total[0], total[1], total[2]) + own[i]));
    });
}

void ElasticPoints::forces(std::span<const Vec3> y, std::span<Vec3> f) {
    set_positions(y);
    stresses<true>(f);
    gather(f, [&](std::size_t i, const Vec3& force) { f[i] = force; });
}

void ElasticPoints::force_changes(std::span<const Vec3> x, std::span<Vec3> f) {
    set_positions(x);
    stresses<false>(f);
    gather(f, [&](std::size_t i, const Vec3& force) { f[i] = force; });
}

Real ElasticPoints::largest_frequency(std::span<const Real> mass) {
    return std::sqrt(largest_eigenvalue(mass, [&](std::span<const Vec3> x, std::span<Vec3> Kx) {
        force_changes(x, Kx);
        parallel_for(x.size(), [&](std::size_t i) { Kx[i] = -Kx[i]; });
    }));
}

void ElasticPoints::multiply(std::span<const Real> mass, Real dt, std::span<const Vec3> x, std::span<Vec3> result) {
    set_positions(x);
    stresses<false>(result);
    gather(result, [&](std::size_t i, const Vec3& force) { result[i] = mass[i] * x[i] - dt * dt * force; });
}

// (beta/2) (sum_j w_ij |y_ij|^2 - tr(H G H^T)), which is the penalty because Fe is the least-squares fit. Where a
// neighbourhood does not span space, plus (beta/2) (sum_j w_ij |(1 - Pi) p_ij|^2 - 2 tr(Q^T H A^T (1 - Pi))).
Real ElasticPoints::penalty_energy(std::span<const Vec3> y, std::size_t i) const {
    using simd::fma;
    const RestRow row = rest_.row(i);
    const auto X = rest_.reference();
    const bool is_flat = rest_.rank(i) < 3;
    const Mat3 left_out = is_flat ? rest_.left_out(i) : Mat3(Mat3::Zero());
    const auto at = [](std::span<const Vec3> all, std::size_t k) { return simd::load_some<Double4>(all[k].data(), 3); };
    const Double4 y_i = at(y, i), X_i = at(X, i);
    Double4 sum[4] = {Double4(0), Double4(0), Double4(0), Double4(0)};  // columns of H, and w q^2
    Real flat = 0;
    for (std::size_t n = 0; n < row.index.size(); ++n) {
        const std::size_t j = row.index[n];
        const Double4 q = at(y, j) - y_i, p = at(X, j) - X_i, wq = Double4(row.weight[n]) * q;
        for (int c = 0; c < 3; ++c) sum[c] = fma(wq, Double4(p[c]), sum[c]);
        sum[3] = fma(wq, q, sum[3]);
        if (is_flat) flat += Real(row.weight[n]) * (left_out * Vec3(p[0], p[1], p[2])).squaredNorm();
    }
    Mat3 H;
    for (int c = 0; c < 3; ++c) H.col(c) = Vec3(sum[c][0], sum[c][1], sum[c][2]);
    Real total = (sum[3][0] + sum[3][1]) + sum[3][2] + flat;
    if (is_flat) total -= 2 * turn_of_left_out(H, left_out, rest_.trace(i)).sum;
    const int lane = static_cast<int>(i % 4);
    const Real fitted = (H * lane_of(rest_.G(i / 4), lane)).cwiseProduct(H).sum();
    return beta_[i / 4][lane] / 2 * std::max(Real(0), total - fitted);
}

// K_ii = sum over centres c that see i of V (mu |g|^2 1 + (mu + lambda) g g^T) + beta (w - g.K g) 1; g = R w N^T X_ci,
// and for c = i minus the sum of all of them.
void ElasticPoints::diagonal(std::vector<Mat3>& blocks) const {
    blocks.resize(rest_.size());
    std::vector<Mat3> turn(rest_.size());
    parallel_for(turn.size(), [&](std::size_t i) { turn[i] = rest_.R_at_reference(i); });
    const auto centre = [&](std::size_t c, const Vec3& wX, Real w) -> Mat3 {
        const int lane = static_cast<int>(c % 4);
        const Vec3 g = turn[c] * (rest_.N_at_reference(c).transpose() * wX);
        const Real fitted = wX.dot(lane_of(rest_.G(c / 4), lane) * wX);
        const Real mu = mu_volume(c), penalty = beta_[c / 4][lane] * std::max(Real(0), w - fitted);
        return (mu * g.squaredNorm() + penalty) * Mat3::Identity() + (mu + lambda_volume(c)) * g * g.transpose();
    };
    parallel_for(rest_.size(), [&](std::size_t i) {
        const RestRow row = rest_.row(i);
        Vec3 sum = Vec3::Zero();
        Real total = 0;
        Mat3 block = Mat3::Zero();
        for (std::size_t n = 0; n < row.index.size(); ++n) {
            const std::size_t j = row.index[n];
            const Real w = Real(row.weight[n]);
            const Vec3 wX = w * (rest_.reference()[i] - rest_.reference()[j]);
            sum -= wX;
            total += w;
            block += centre(j, wX, w);
        }
        blocks[i] = turn[i].transpose() * (block + centre(i, sum, total)) * turn[i];
    });
}

PointRows ElasticPoints::rows_of(std::vector<std::uint32_t> particles) const {
    PointRows rows;
    for (const std::uint32_t i : particles) {
        std::vector<std::uint32_t> columns = {i};
        const auto add_centre = [&](std::uint32_t c) {
            const auto index = rest_.row(c).index;
            columns.push_back(c);
            columns.insert(columns.end(), index.begin(), index.end());
        };
        add_centre(i);
        for (const std::uint32_t c : rest_.row(i).index) add_centre(c);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        rows.column.insert(rows.column.end(), columns.begin(), columns.end());
        rows.begin.push_back(static_cast<std::uint32_t>(rows.column.size()));
    }
    rows.point = std::move(particles);
    return rows;
}

// K_ij = sum over centres c that see both of V (mu (g_i.g_j R R^T + g_j g_i^T) + lambda g_i g_j^T)
//        + beta (w - p_i.G p_j) 1
// with p = w X_ci, g = R N^T p, and for c itself minus the sums over its neighbours; w is of sum_j w_cj |y_j - y_c|^2.
void ElasticPoints::blocks(const PointRows& rows, std::vector<Mat3>& blocks) const {
    blocks.assign(rows.column.size(), Mat3::Zero());
    struct Member {
        std::uint32_t particle;
        Vec3 p, g;
        Real w;
    };
    const auto add_centre = [&](std::size_t row, std::uint32_t i, std::uint32_t c) {
        const RestRow seen = rest_.row(c);
        const int lane = static_cast<int>(c % 4);
        const Mat3 R = rotation(c), turn = R * lane_of(rest_.N(c / 4), lane).transpose(), spanned = R * R.transpose();
        const Mat3 G = lane_of(rest_.G(c / 4), lane);
        const Real mu = mu_volume(c), lambda = lambda_volume(c), beta = beta_[c / 4][lane];
        Member centre = {c, Vec3::Zero(), Vec3::Zero(), 0};
        std::vector<Member> members;
        for (std::size_t k = 0; k < seen.index.size(); ++k) {
            const Real w = Real(seen.weight[k]);
            const Vec3 p = w * (rest_.reference()[seen.index[k]] - rest_.reference()[c]);
            members.push_back({seen.index[k], p, turn * p, w});
            centre.p -= p;
            centre.w += w;
        }
        centre.g = turn * centre.p;
        members.push_back(centre);
        const Member mine =
            *std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.particle == i; });
        for (const Member& other : members) {
            const bool is_bond = (mine.particle == c) != (other.particle == c);
            const Real bond = mine.particle == c ? -other.w : -mine.w;
            const Real w = other.particle == i ? mine.w : is_bond ? bond : 0;
            Mat3& block = blocks[rows.at(row, other.particle)];
            block.diagonal().array() += beta * (w - mine.p.dot(G * other.p));
            block += mu * (mine.g.dot(other.g) * spanned + other.g * mine.g.transpose());
            block += lambda * mine.g * other.g.transpose();
        }
    };
    parallel_for(rows.size(), [&](std::size_t row) {
        const std::uint32_t i = rows.point[row];
        add_centre(row, i, i);
        for (const std::uint32_t c : rest_.row(i).index) add_centre(row, i, c);
    });
}

std::size_t ElasticPoints::bytes() const {
    return rotation_.capacity() * (sizeof(WideMat3<Double4>) + 4 * sizeof(Double4)) +
           (stress_.capacity() + 3 * X_.capacity()) * sizeof(Quad) + first_.capacity() * 4;
}

}  // namespace pliant
