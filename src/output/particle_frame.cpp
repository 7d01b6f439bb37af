#include "pliant/output/particle_frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "pliant/base/error.h"

namespace pliant {

namespace {

bool is_plain_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return c < 128 && (std::isalnum(c) || c == '_');
    });
}

bool is_one_word(const std::string& unit) {
    return unit.size() <= 64 &&
           std::none_of(unit.begin(), unit.end(), [](unsigned char c) { return std::isspace(c) || std::iscntrl(c); });
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
    if (length == expected) return;
    throw InputError(fmt::format("a frame has {} positions but {} entries in `{}`; give one entry a particle", expected,
                                 length, name));
}

}  // namespace

const ParticleQuantity* ParticleFrame::find_quantity(const std::string& name) const {
    const auto found =
        std::find_if(quantities.begin(), quantities.end(), [&](const ParticleQuantity& q) { return q.name == name; });
    return found == quantities.end() ? nullptr : &*found;
}

Box ParticleFrame::bounds() const {
    Box box;
    for (std::size_t i = 0; i < size(); ++i) {
        if (!position[i].allFinite()) continue;
        const Vec3 centre = position[i].cast<Real>();
        const Real r = i < radius.size() && radius[i] > 0 && std::isfinite(radius[i]) ? Real(radius[i]) : 0;
        box.extend(Vec3(centre - Vec3::Constant(r)));
        box.extend(Vec3(centre + Vec3::Constant(r)));
    }
    return box;
}

void check_frame(const ParticleFrame& frame) {
    const std::size_t n = frame.size();
    check_length("id", frame.id.size(), n);
    check_length("velocity", frame.velocity.size(), n);
    check_length("body", frame.body.size(), n);
    check_length("radius", frame.radius.size(), n);
    if (!frame.material.empty()) check_length("material", frame.material.size(), n);
    if (!frame.deformation.empty()) check_length("deformation", frame.deformation.size(), n);
    for (const ParticleQuantity& quantity : frame.quantities) {
        check_length(quantity.name.c_str(), quantity.values.size(), n);
        if (!is_plain_name(quantity.name)) {
            throw InputError(fmt::format(
                "a quantity cannot be called `{}`; use up to 64 letters, digits and underscores", quantity.name));
        }
        if (!is_one_word(quantity.unit)) {
            throw InputError(fmt::format("the unit of `{}` must be one word, such as kg/m^3", quantity.name));
        }
        if (frame.find_quantity(quantity.name) != &quantity) {
            throw InputError(fmt::format("a frame has two quantities called `{}`; rename one", quantity.name));
        }
    }
}

}  // namespace pliant
