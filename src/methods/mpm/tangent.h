// Second derivatives of a step's potential with respect to the singular values of F, and what Newton's method needs to
// know of the other directions.     [Stomakhin12], [Fang19] eq. 10
#pragma once

#include "pliant/materials/log_strain_law.h"

namespace pliant {

// dP_i/dsigma_j = h'_i h'_j dtau_i/de_j + delta_ij tau_i h''_i. Under tension the last term is negative: it is taken as
// far as the least eigenvalue of dtau/de, and `margin` [Pa], can bear, so that what comes out is positive.
template <class P>
struct PrincipalTangent {
    P at[3][3];

    PrincipalTangent(const LogResponse<P>& r, const LogStrain<P>& h, P margin) {
        using namespace simd;
        const P least = max(min(r.tangential, r.radial), P(0.0)) + margin;
        const P base = fnma(r.tangential, P(1.0 / 3), r.volumetric), extra = r.radial - r.tangential;
        const P u[3] = {r.direction.x, r.direction.y, r.direction.z};
        const P slope[3] = {h.slope.x, h.slope.y, h.slope.z};
        const P tau[3] = {r.tau.x, r.tau.y, r.tau.z};
        const P curvature[3] = {h.curvature.x, h.curvature.y, h.curvature.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                at[i][j] = (base + (extra * u[j] + r.coupling) * u[i]) * slope[i] * slope[j];
            }
            at[i][i] = fma(r.tangential, slope[i] * slope[i], fma(min(tau[i], least), curvature[i], at[i][i]));
        }
    }
};

}  // namespace pliant
