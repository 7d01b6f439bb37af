// What the machine has left, and refusing what would not fit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "pliant/scene/build.h"

namespace pliant {

std::uint64_t available_memory();                                   // bytes; 0 when the system does not tell
std::uint64_t available_disk(const std::filesystem::path& folder);  // bytes, of the nearest folder that exists

std::string byte_text(std::uint64_t bytes);  // "1.5 GB"

// Throws InputError with the two numbers when the run would not fit in memory or on the disk.
void require_room(const SizeEstimate& size, const std::filesystem::path& folder);

std::string machine_text();  // processor, cores, memory, system

}  // namespace pliant
