#include "pliant/output/axis_ticks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

namespace {

double round_step(double wanted) {
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    const double digit = wanted / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// A power of a thousand that brings numbers outside 0.01 .. 10000 to everyday size.
int everyday_exponent(double largest) {
    if (largest == 0 || (largest >= 0.01 && largest < 1e4)) return 0;
    return 3 * int(std::floor(std::log10(largest) / 3));
}

std::string label_of(double value, int decimals) {
    std::string label = fmt::format("{:.{}f}", value, decimals);
    const bool is_zero = label.find_first_not_of("-0.") == std::string::npos;
    return is_zero && label.starts_with('-') ? label.substr(1) : label;
}

}  // namespace

AxisTicks axis_ticks(double lowest, double highest, int count) {
    AxisTicks ticks;
    if (!std::isfinite(lowest) || !std::isfinite(highest) || lowest > highest) return ticks;
    ticks.exponent = everyday_exponent(std::max(std::abs(lowest), std::abs(highest)));
    ticks.factor = std::pow(10.0, ticks.exponent);
    const double low = lowest / ticks.factor, high = highest / ticks.factor, span = high - low;
    // A span that is lost in the digits of the numbers themselves counts as none.
    if (!(span > 1e-9 * std::max(std::abs(low), std::abs(high)))) {
        ticks.values = {lowest};
        ticks.labels = {fmt::format("{:.4g}", low)};
        return ticks;
    }
    const double step = round_step(span / std::max(count, 1));
    const int decimals = std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
    const double slack = 1e-6 * step;
    for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) {
        ticks.values.push_back(std::clamp(i * step * ticks.factor, lowest, highest));
        ticks.labels.push_back(label_of(i * step, decimals));
    }
    return ticks;
}

std::string axis_title(const std::string& name, const std::string& unit, int exponent) {
    static constexpr std::array<const char*, 9> prefixes = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
    static constexpr std::array<const char*, 6> prefixed = {"Pa", "J", "N", "W", "m", "s"};
    const bool has_prefix = exponent >= -12 && exponent <= 12 &&
                            std::find(prefixed.begin(), prefixed.end(), unit) != prefixed.end() &&
                            (exponent <= 0 || (unit != "m" && unit != "s"));
    std::string shown = unit;
    if (exponent != 0 && has_prefix) {
        shown = prefixes[std::size_t(exponent / 3 + 4)] + unit;
    } else if (exponent != 0) {
        shown = fmt::format("10^{}{}{}", exponent, unit.empty() ? "" : " ", unit);
    }
    return shown.empty() ? name : fmt::format("{} [{}]", name, shown);
}

}  // namespace pliant
