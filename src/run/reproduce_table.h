// Rows of the page's tables.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

inline const std::string no_number = "&ndash;";

inline std::string table_row(const std::string& style, const std::string& head, const std::vector<std::string>& cells) {
    std::string html = fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th>", style, head);
    for (const std::string& cell : cells) html += "<td>" + cell + "</td>";
    return html + "</tr>\n";
}

inline std::string milliseconds(Real seconds) {
    return fmt::format("{:.3g} ms", 1e3 * seconds);
}

inline std::string ratio_text(std::optional<double> ratio) {
    return ratio ? fmt::format("{:.2f}", *ratio) : no_number;
}

}  // namespace pliant
