#include "pliant/methods/emitter.h"

#include <fmt/core.h>

#include "pliant/contact/motion.h"

namespace pliant {

const FieldTable& EmitterSettings::fields() {
    using S = EmitterSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages call it; left out: emitter1, emitter2, ..."),
        field("fluid", &S::fluid, "", "the [[fluid]] that it pours, or"),
        field("body", &S::body, "",
              "the [[body]] whose matter it pours, in the method mpm: sand, cream, snow. Its sampling says whether "
              "particles "
              "leave in layers of a lattice (cubic) or at random"),
        field("size", &S::size, "m", "edges of a rectangular opening along its own x and z, or give radius").above(0),
        field("radius", &S::radius, "m", "of a round opening, instead of size").above(0),
        field("position", &S::position, "m", "the middle of the opening").at_least(-1e6).at_most(1e6),
        field("rotation", &S::rotation, "degree", "turn about x, then y, then z; without it it pours down, to -y"),
        field("speed", &S::speed, "m/s", "of what is in the opening, or give rate").above(0).at_most(1e4),
        field("rate", &S::rate, "m^3/s", "volume a second, instead of speed; a litre is 0.001 m^3").above(0),
        field("start", &S::start, "s", "when it begins").at_least(0),
        field("end", &S::end, "s", "when it stops").above(0),
    };
    return table;
}

std::vector<std::string> EmitterSettings::problems() const {
    std::vector<std::string> result;
    if (fluid.empty() == body.empty()) {
        result.emplace_back(fluid.empty() ? "pours nothing: add the name of a fluid or of a body"
                                          : "pours a fluid and a body: keep one, or add another emitter");
    }
    if (size.empty() == !radius) {
        result.emplace_back(radius ? "has a size and a radius: keep one"
                                   : "has no opening: add size = [0.1, 0.1] or radius = 0.05");
    }
    if (!size.empty() && size.size() != 2) {
        result.push_back(fmt::format("size must be two numbers, along x and z, but is {}", size.size()));
    }
    if (!speed == !rate) {
        result.emplace_back(speed ? "has a speed and a rate: keep one" : "has no speed: add speed = 1 or rate = 0.001");
    }
    if (!(end > start)) result.push_back(fmt::format("ends at {:g} s, before it starts at {:g} s", end, start));
    return result;
}

Real EmitterSettings::area() const {
    return radius ? pi * square(*radius) : size.at(0) * size.at(1);
}

Real EmitterSettings::flow_speed() const {
    return speed ? *speed : *rate / area();
}

Placement EmitterSettings::place() const {
    return {position, rotation_from_degrees(rotation)};
}

}  // namespace pliant
