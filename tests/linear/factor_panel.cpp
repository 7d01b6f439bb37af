#include "pliant/linear/factor_panel.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

template <class Panel>
double error_of_products(Eigen::Index rows, Eigen::Index columns, bool is_lower) {
    constexpr int vectors = 3;
    Eigen::MatrixXd A = Eigen::MatrixXd::Random(rows, columns);
    Panel panel;
    if (is_lower) A = Eigen::MatrixXd(A.triangularView<Eigen::Lower>());
    panel.assign(A, 0);
    const auto stride = Eigen::Index(Panel::padded(std::size_t(std::max(rows, columns))));
    Eigen::MatrixXf in = Eigen::MatrixXf::Zero(stride, vectors), out = in;
    in.topRows(columns).setRandom();
    out.topRows(rows).setRandom();
    const Eigen::MatrixXd product = out.topRows(rows).cast<double>() - A * in.topRows(columns).cast<double>();
    panel.template add_product<vectors>(in.data(), out.data(), std::size_t(stride), -1);
    double worst = (out.topRows(rows).cast<double>() - product).cwiseAbs().maxCoeff();
    in.setZero();
    in.topRows(rows).setRandom();
    out.topRows(columns).setRandom();
    const Eigen::MatrixXd back = out.topRows(columns).cast<double>() + A.transpose() * in.topRows(rows).cast<double>();
    panel.template add_transposed_product<vectors>(in.data(), out.data(), std::size_t(stride), 1);
    worst = std::max(worst, (out.topRows(columns).cast<double>() - back).cwiseAbs().maxCoeff());
    return worst;
}

TEST(FactorPanel, MultipliesAsTheMatrixItWasMadeOf) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 9}, {8, 4}, {21, 13}, {50, 50}, {65, 1}}) {
        EXPECT_LT(error_of_products<FactorPanel<float>>(rows, columns, false), 1e-5) << rows << " x " << columns;
        EXPECT_LT(error_of_products<FactorPanel<std::int16_t>>(rows, columns, false), 1e-3) << rows << " x " << columns;
    }
}

TEST(FactorPanel, MultipliesAsATriangle) {
    for (const int size : {1, 4, 7, 8, 30}) {
        EXPECT_LT(error_of_products<FactorPanel<float>>(size, size, true), 1e-5) << size;
        EXPECT_LT(error_of_products<FactorPanel<std::int16_t>>(size, size, true), 1e-3) << size;
    }
}

TEST(FactorPanel, LeavesOutWhatIsNegligible) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Constant(64, 8, 1e-4);
    A.row(10).setOnes();
    FactorPanel<std::int16_t> all, few;
    all.assign(A, 0);
    few.assign(A, 1e-3);
    EXPECT_LT(4 * few.bytes(), all.bytes());
    std::vector<float> in(64, 1.0f), out(64, 0.0f);
    few.add_product<1>(in.data(), out.data(), 64, 1);
    EXPECT_NEAR(out[10], 8, 1e-3);
    EXPECT_NEAR(out[8], 8e-4, 1e-4);  // in one tile with it
    EXPECT_EQ(out[30], 0);
}

TEST(FactorPanel, HasZerosWhereAColumnIsZero) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(5, 3);
    A(2, 1) = 1e-30;
    FactorPanel<std::int16_t> panel;
    panel.assign(A, 0);
    std::vector<float> in(8, 1.0f), out(8, 0.0f);
    panel.add_product<1>(in.data(), out.data(), 8, 1);
    for (int r = 0; r < 8; ++r) EXPECT_NEAR(out[std::size_t(r)], r == 2 ? 1e-30 : 0, 1e-34);
}

}  // namespace
}  // namespace pliant
