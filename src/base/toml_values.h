// Values of TOML files, held against the fields that describe them: for the readers of scenes and of rigs.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>

#include "pliant/base/fields.h"

namespace pliant {

const char* type_name(const toml::node& node);  // "a list"

// Checks a node against a field's type and range; the value, or nothing after a complaint.
std::optional<FieldValue> read_value(const toml::node& node, const Field& field, const FieldValue& default_value,
                                     std::string& complaint);

// A sentence, with the known name that was probably meant.
std::string about_unknown_key(const std::string& key, const std::set<std::string>& known);

}  // namespace pliant
