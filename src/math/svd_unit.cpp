#include "pliant/math/svd_unit.h"

#include <Eigen/SVD>
#include <algorithm>
#include <random>
#include <vector>

#include "pliant/base/processor_stopwatch.h"
#include "pliant/math/types.h"

namespace pliant {

double seconds_of_one_svd() {
    constexpr int runs = 20, count = 1000;
    std::mt19937 engine(1);
    std::normal_distribution<Real> normal;
    std::vector<Mat3> matrices(count);
    for (Mat3& A : matrices) A = Mat3::NullaryExpr([&] { return normal(engine); });
    Eigen::JacobiSVD<Mat3> s;
    double best = 1e30;
    volatile Real kept = 0;  // so that nothing is left out
    for (int run = 0; run < runs; ++run) {
        const ProcessorStopwatch watch;
        Real sum = 0;
        for (const Mat3& A : matrices) {
            s.compute(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
            sum += s.matrixU()(0, 0) + s.matrixV()(0, 0) + s.singularValues()(0);
        }
        best = std::min(best, watch.seconds() / count);
        kept = kept + sum;
    }
    return best;
}

}  // namespace pliant
