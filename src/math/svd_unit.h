// The unit u in which times are told, so that those of different machines can be compared: one Eigen::JacobiSVD of a
// random 3 x 3 matrix in double, with both rotations.
#pragma once

namespace pliant {

// Processor time of one thread, measured now: of some runs the quickest, which others have disturbed least.
double seconds_of_one_svd();

}  // namespace pliant
