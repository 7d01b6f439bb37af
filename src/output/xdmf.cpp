#include "pliant/output/xdmf.h"

#include <fmt/core.h>

#include <cmath>

#include "pliant/base/atomic_file.h"
#include "pliant/output/markup.h"

namespace pliant {

namespace {

struct Array {
    std::string path;  // inside the HDF5 file
    const char* shape = "Scalar";
    int columns = 1;
    const char* number = "Float";
    int bytes = 4;
};

std::string data_item(const XdmfFrame& frame, const Array& array) {
    const std::string size =
        array.columns > 1 ? fmt::format("{} {}", frame.particles, array.columns) : fmt::format("{}", frame.particles);
    return fmt::format(
        "<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{}\">{}:/{}</DataItem>", array.number,
        array.bytes, size, escape_markup(frame.file.generic_string()), array.path);
}

std::string attribute(const XdmfFrame& frame, const std::string& name, const Array& array) {
    return fmt::format("        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">{}</Attribute>\n",
                       escape_markup(name), array.shape, data_item(frame, array));
}

std::string grid(const XdmfFrame& frame) {
    std::string text =
        fmt::format("      <Grid Name=\"particles\" GridType=\"Uniform\">\n        <Time Value=\"{:.17g}\"/>\n",
                    std::isfinite(frame.time) ? frame.time : 0.0);
    text += fmt::format("        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\"/>\n", frame.particles);
    text += fmt::format("        <Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
                        data_item(frame, {.path = "position", .columns = 3}));
    text += attribute(frame, "velocity", {.path = "velocity", .shape = "Vector", .columns = 3});
    text += attribute(frame, "id", {.path = "id", .number = "UInt"});
    text += attribute(frame, "body", {.path = "body", .number = "UInt", .bytes = 2});
    text += attribute(frame, "radius", {.path = "radius"});
    if (frame.has_material) text += attribute(frame, "material", {.path = "material", .number = "UInt", .bytes = 2});
    if (frame.has_deformation) {
        text += attribute(frame, "deformation", {.path = "deformation", .shape = "Tensor", .columns = 9});
    }
    for (const std::string& name : frame.quantities) text += attribute(frame, name, {.path = "quantities/" + name});
    return text + "      </Grid>\n";
}

}  // namespace

XdmfFrame describe_for_xdmf(const std::filesystem::path& file, const ParticleFrame& frame) {
    XdmfFrame result{file, frame.time, frame.size(), !frame.material.empty(), !frame.deformation.empty(), {}};
    for (const ParticleQuantity& quantity : frame.quantities) result.quantities.push_back(quantity.name);
    return result;
}

void write_xdmf(const std::filesystem::path& path, std::span<const XdmfFrame> frames) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
        "    <Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (const XdmfFrame& frame : frames) text += grid(frame);
    text += "    </Grid>\n  </Domain>\n</Xdmf>\n";
    write_text_atomically(path, text);
}

}  // namespace pliant
