// The valid name that a misspelt one was probably meant to be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

// How many letters must be inserted, removed, replaced or swapped with the next to turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Upper and lower case are the same here. Of equally near names the first. Nothing when none is near, that is, when
// more than about a third of the letters (but at least one) would have to change.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& valid);

// "; did you mean 'young'?" or, when none is near, "; valid are: a, b, c".
std::string suggestion(std::string_view name, const std::vector<std::string>& valid);

}  // namespace pliant
