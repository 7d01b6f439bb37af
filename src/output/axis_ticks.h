// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace pliant {

struct AxisTicks {
    double factor = 1;           // of the labels: a value v is written as v / factor
    int exponent = 0;            // factor = 10^exponent; 0 for numbers of everyday size
    std::vector<double> values;  // rising, within the axis
    std::vector<std::string> labels;
};

// About `count` ticks at multiples of 1, 2 or 5 times a power of ten. An axis without length has one tick; one that is
// not finite has none.
AxisTicks axis_ticks(double lowest, double highest, int count);

// "name [unit]", the unit with the axis' power of ten: [kPa] where there is such a unit, else [10^3 unit].
std::string axis_title(const std::string& name, const std::string& unit, int exponent);

}  // namespace pliant
