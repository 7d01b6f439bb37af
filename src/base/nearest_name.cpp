#include "pliant/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pliant {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& valid) {
    if (name.empty() || name.size() > 64) return std::nullopt;
    const std::string wanted = lower(name);
    std::optional<std::string> best;
    std::size_t least = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
    for (const std::string& candidate : valid) {
        const std::size_t distance = edit_distance(wanted, lower(candidate));
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& valid) {
    if (const auto near = nearest_name(name, valid)) return fmt::format("; did you mean '{}'?", *near);
    if (valid.empty()) return "";
    return fmt::format("; valid are: {}", fmt::join(valid, ", "));
}

}  // namespace pliant
