#include "pliant/output/hdf5_particles.h"

#include "pliant/output/hdf5_file.h"

namespace pliant {

namespace {

const std::string kind = "pliant particles 1";

// F a particle as a row of nine: F11, F12, ..., F33.
using RowMajor = Eigen::Matrix<float, 3, 3, Eigen::RowMajor>;

}  // namespace

void write_hdf5_particles(const std::filesystem::path& path, const ParticleFrame& frame) {
    check_frame(frame);
    const std::size_t n = frame.size();
    Hdf5Writer file;
    file.add_text("/", "kind", kind);
    file.add_number("time", Hdf5Type::float64, &frame.time);
    file.add_number("frame", Hdf5Type::int64, &frame.frame);
    file.add_array("id", Hdf5Type::uint32, frame.id.data(), n);
    file.add_array("position", Hdf5Type::float32, frame.position.data(), n, 3);
    file.add_array("velocity", Hdf5Type::float32, frame.velocity.data(), n, 3);
    file.add_array("body", Hdf5Type::uint16, frame.body.data(), n);
    file.add_array("radius", Hdf5Type::float32, frame.radius.data(), n);
    if (!frame.material.empty()) file.add_array("material", Hdf5Type::uint16, frame.material.data(), n);
    if (!frame.deformation.empty()) {
        const std::vector<RowMajor> rows(frame.deformation.begin(), frame.deformation.end());
        file.add_array("deformation", Hdf5Type::float32, rows.data(), n, 9);
    }
    file.add_group("quantities");
    for (const ParticleQuantity& quantity : frame.quantities) {
        const std::string name = "quantities/" + quantity.name;
        file.add_array(name, Hdf5Type::float32, quantity.values.data(), n);
        file.add_text(name, "unit", quantity.unit);
    }
    file.write(path);
}

ParticleFrame read_hdf5_particles(const std::filesystem::path& path) {
    const Hdf5Reader file(path);
    if (file.read_text("/", "kind") != kind) file.fail("it does not hold particles");
    const std::size_t n = file.rows_of("position");
    ParticleFrame frame;
    file.read_number("time", Hdf5Type::float64, &frame.time);
    file.read_number("frame", Hdf5Type::int64, &frame.frame);
    const auto read = [&](const std::string& name, Hdf5Type type, auto& array, std::size_t columns = 0) {
        if (file.rows_of(name) != n) file.fail("its arrays differ in length");
        array.resize(n);
        file.read_array(name, type, array.data(), n, columns);
    };
    read("id", Hdf5Type::uint32, frame.id);
    read("position", Hdf5Type::float32, frame.position, 3);
    read("velocity", Hdf5Type::float32, frame.velocity, 3);
    read("body", Hdf5Type::uint16, frame.body);
    read("radius", Hdf5Type::float32, frame.radius);
    if (file.has("material")) read("material", Hdf5Type::uint16, frame.material);
    if (file.has("deformation")) {
        std::vector<RowMajor> rows;
        read("deformation", Hdf5Type::float32, rows, 9);
        frame.deformation.assign(rows.begin(), rows.end());
    }
    for (const std::string& name : file.names_in("quantities")) {
        ParticleQuantity& quantity = frame.quantities.emplace_back();
        quantity.name = name;
        quantity.unit = file.read_text("quantities/" + name, "unit");
        read("quantities/" + name, Hdf5Type::float32, quantity.values);
    }
    check_frame(frame);
    return frame;
}

}  // namespace pliant
