// The counts that a mesh file announces, held against its length before any memory is asked for.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace pliant {

// What is wrong with the counts, as a clause that follows the file's name; empty when nothing is, or when the format
// announces none. Knows ply, stl and off.
std::string problem_with_counts(std::span<const std::byte> bytes, const std::string& extension);

}  // namespace pliant
