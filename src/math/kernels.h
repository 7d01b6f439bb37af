// Smoothing kernels W(r, H) in three dimensions: zero from the support radius H on, with integral 1 over space.
// value(r, H) = W [1/m^3] and derivative(r, H) = dW/dr [1/m^4], for r >= 0 and H > 0, of plain numbers and of packs
// alike; grad W = derivative / r * offset. A distance that is not a number gives 0, like one beyond H.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "pliant/math/simd.h"
#include "pliant/math/types.h"

namespace pliant {

// [Monaghan85], written as a difference of two truncated cubes: with q = r/H, u = (1 - q)+, v = (1/2 - q)+,
//     W = 8 / (pi H^3) (2 u^3 - 8 v^3)
struct CubicSplineKernel {
    template <class P>
    static P value(P r, std::type_identity_t<P> H) {
        using namespace simd;
        const P a = P(1) / H, u = max(fnma(r, a, P(1)), P(0)), v = max(fnma(r, a, P(0.5)), P(0));
        return P(16 / pi) * (a * a * a) * (u * u * u - P(4) * (v * v * v));
    }
    template <class P>
    static P derivative(P r, std::type_identity_t<P> H) {
        using namespace simd;
        const P a = P(1) / H, u = max(fnma(r, a, P(1)), P(0)), v = max(fnma(r, a, P(0.5)), P(0));
        return P(48 / pi) * (a * a) * (a * a) * (P(4) * (v * v) - u * u);
    }
};

// Of second order of smoothness [Wendland95]: with q = r/H, u = (1 - q)+,
//     W = 21 / (2 pi H^3) u^4 (1 + 4 q),   dW/dr = -210 / (pi H^4) q u^3
struct WendlandC2Kernel {
    template <class P>
    static P value(P r, std::type_identity_t<P> H) {
        using namespace simd;
        const P a = P(1) / H, u = max(fnma(r, a, P(1)), P(0)), u2 = u * u;
        return P(21 / (2 * pi)) * (a * a * a) * (u2 * u2) * fnma(u, P(4), P(5));  // q = 1 - u
    }
    template <class P>
    static P derivative(P r, std::type_identity_t<P> H) {
        using namespace simd;
        const P a = P(1) / H, u = max(fnma(r, a, P(1)), P(0));
        return P(-210 / pi) * (a * a) * (a * a) * (P(1) - u) * (u * u * u);
    }
};

// [Solenthaler07], whose slope does not vanish at r = 0, so that coincident particles still push each other:
//     W = c (2H/pi) (cos((r + H) pi / (2H)) + 1),   c = pi / (8 H^4 (pi/3 - 8/pi + 16/pi^2)),   dW/dr = -c cos(pi r /
//     (2H))
// With y = (1 - r/H)+ the bracket is 2 sin^2(pi y / 4), of which no digits are lost towards H. The sine and cosine of
// 0 to pi/4 are their series to the 19th and 18th power: exact to rounding in double, the same for numbers and packs.
struct CosineKernel {
    template <class P>
    static P value(P r, std::type_identity_t<P> H) {
        using namespace simd;
        const P a = P(1) / H, sine = sine_of(angle(r, a));
        return P(1 / (2 * shape)) * (a * a * a) * (sine * sine);
    }
    template <class P>
    static P derivative(P r, std::type_identity_t<P> H) {
        using namespace simd;
        const P a = P(1) / H, x = angle(r, a);
        return P(-pi / (4 * shape)) * (a * a) * (a * a) * (sine_of(x) * cosine_of(x));
    }

private:
    static constexpr Real shape = pi / 3 - 8 / pi + 16 / (pi * pi);

    template <class P>
    static P angle(P r, P reciprocal) {  // pi y / 4
        using namespace simd;
        return P(pi / 4) * max(fnma(r, reciprocal, P(1)), P(0));
    }
    // 1 - x^2/(k (k+1)) (1 - x^2/((k+2) (k+3)) (1 - ...)), nine times
    template <int K, class P>
    static P series(P x2) {
        using namespace simd;
        P result(1);
        for (int k = K + 16; k >= K; k -= 2) result = fnma(x2 * P(Real(1) / (k * (k + 1))), result, P(1));
        return result;
    }
    template <class P>
    static P sine_of(P x) {
        return x * series<2>(x * x);
    }
    template <class P>
    static P cosine_of(P x) {
        return series<1>(x * x);
    }
};

enum class KernelKind { cosine, cubic_spline, wendland_c2 };

// In the order of KernelKind; a new kernel is one struct above and one entry in each of these three.
using Kernels = std::tuple<CosineKernel, CubicSplineKernel, WendlandC2Kernel>;
inline constexpr std::array<std::string_view, 3> kernel_names = {"cosine", "cubic_spline", "wendland_c2"};

inline std::string_view kernel_name(KernelKind kind) {
    return kernel_names[static_cast<std::size_t>(kind)];
}
// None if there is no such kernel.
inline std::optional<KernelKind> kernel_from_name(std::string_view name) {
    for (std::size_t i = 0; i < kernel_names.size(); ++i) {
        if (kernel_names[i] == name) return static_cast<KernelKind>(i);
    }
    return std::nullopt;
}

// Calls work(kernel) with the struct of that kind, so that a loop inside is compiled for each.
template <class Work>
decltype(auto) with_kernel(KernelKind kind, Work&& work) {
    switch (kind) {
        case KernelKind::cosine: return work(CosineKernel());
        case KernelKind::cubic_spline: return work(CubicSplineKernel());
        case KernelKind::wendland_c2: break;
    }
    return work(WendlandC2Kernel());
}

}  // namespace pliant
