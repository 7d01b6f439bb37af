// Second derivatives of a step's potential with respect to the singular values of F, and what Newton's method needs to
// know of the other directions.     [Stomakhin12], [Fang19] eq. 10
#pragma once

#include "pliant/materials/log_strain_law.h"
#include "pliant/math/svd.h"

namespace pliant {

// dP_i/dsigma_j = h'_i h'_j dtau_i/de_j + delta_ij tau_i h''_i. Under tension the last term is negative: it is taken as
// far as the least eigenvalue of dtau/de, and `margin` [Pa], can bear, so that what comes out is positive. Of a general
// dtau/de all is taken and negative eigenvalues are left out, whatever the margin.
template <class P>
struct PrincipalTangent {
    P at[3][3];

    PrincipalTangent(const LogResponse<P>& r, const LogStrain<P>& h, P margin) {
        using namespace simd;
        const P least = max(min(r.tangential, r.radial), P(0.0)) + margin;
        const P base = fnma(r.tangential, P(1.0 / 3), r.volumetric), extra = r.radial - r.tangential;
        const P u[3] = {r.direction.x, r.direction.y, r.direction.z};
        const P coupling[3] = {r.coupling.x, r.coupling.y, r.coupling.z};
        const P slope[3] = {h.slope.x, h.slope.y, h.slope.z};
        const P tau[3] = {r.tau.x, r.tau.y, r.tau.z};
        const P curvature[3] = {h.curvature.x, h.curvature.y, h.curvature.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                at[i][j] = (base + (extra * u[j] + coupling[j]) * u[i]) * slope[i] * slope[j];
            }
            at[i][i] = fma(r.tangential, slope[i] * slope[i], fma(min(tau[i], least), curvature[i], at[i][i]));
        }
        if (r.has_general) set_general(r, h);
    }

private:
    void set_general(const LogResponse<P>& r, const LogStrain<P>& h) {
        using namespace simd;
        const WideVec3<P>& c = h.curvature;
        const P* g = r.general;
        WideMat3<P> A = {{{g[0], g[3], g[4]}, {g[3], g[1], g[5]}, {g[4], g[5], g[2]}}};
        const P slope[3] = {h.slope.x, h.slope.y, h.slope.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) A.data()[3 * j + i] = A.data()[3 * j + i] * slope[i] * slope[j];
        }
        A.data()[0] = fma(r.tau.x, c.x, A.data()[0]);
        A.data()[4] = fma(r.tau.y, c.y, A.data()[4]);
        A.data()[8] = fma(r.tau.z, c.z, A.data()[8]);
        const auto s = svd(A);  // |A| = V |sigma| V^T
        const WideMat3<P>& V = s.V;
        const WideMat3<P> size = times_transpose(
            WideMat3<P>{{V.column[0] * abs(s.sigma.x), V.column[1] * abs(s.sigma.y), V.column[2] * abs(s.sigma.z)}}, V);
        const auto is_general = r.is_general > P(0.0);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const int k = 3 * j + i;
                at[i][j] = select(is_general, P(0.5) * (A.data()[k] + size.data()[k]), at[i][j]);
            }
        }
    }
};

}  // namespace pliant
