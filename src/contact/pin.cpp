#include "pliant/contact/pin.h"

namespace pliant {

const FieldTable& PinSettings::fields() {
    using S = PinSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages call it"),
        field("body", &S::body, "", "the body whose particles it takes; empty: any body's"),
        field("position", &S::position, "m", "where the region's centre stands"),
        field("rotation", &S::rotation, "degree", "turn about x, then y, then z"),
        field("end", &S::end, "s", "when it lets go: its particles fly on as fast as they moved").above(0),
    };
    return table;
}

}  // namespace pliant
