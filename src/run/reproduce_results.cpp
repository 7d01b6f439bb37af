#include "pliant/run/reproduce_results.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pliant/base/atomic_file.h"
#include "pliant/run/reproduce_papers.h"

namespace pliant {
namespace {

using Json = nlohmann::ordered_json;

const char* const made_by = "pliant reproduce";

// Numbers that only some runs have.
const std::pair<const char*, std::optional<Real> IntegratorResult::*> optional_numbers[] = {
    {"reference_step", &IntegratorResult::reference_step},
    {"deviation", &IntegratorResult::deviation},
    {"worst_deviation", &IntegratorResult::worst_deviation},
    {"worst_displacement", &IntegratorResult::worst_displacement},
    {"explicit_deviation", &IntegratorResult::explicit_deviation},
    {"explicit_displacement", &IntegratorResult::explicit_displacement},
    {"published_seconds", &IntegratorResult::published_seconds},
    {"drift", &IntegratorResult::drift},
    {"turn", &IntegratorResult::turn},
};

void put_if(Json& json, const char* key, const std::optional<Real>& value) {
    if (value) json[key] = *value;
}

std::optional<Real> get_if(const Json& json, const char* key) {
    return json.contains(key) ? std::optional<Real>(json[key].get<Real>()) : std::nullopt;
}

Json to_json(const IntegratorResult& run) {
    Json json;
    json["integrator"] = run.integrator;
    json["stable"] = run.is_stable;
    if (!run.trouble.empty()) json["trouble"] = run.trouble;
    json["own_step"] = run.own_step;
    json["step"] = run.step;
    json["steps"] = run.steps;
    json["seconds"] = run.seconds;
    json["processor_seconds"] = run.processor_seconds;
    for (const auto& [name, member] : optional_numbers) put_if(json, name, run.*member);
    return json;
}

IntegratorResult run_from(const Json& json) {
    IntegratorResult run;
    run.integrator = json.at("integrator");
    run.is_stable = json.at("stable");
    run.trouble = json.value("trouble", "");
    run.own_step = json.at("own_step");
    run.step = json.at("step");
    run.steps = json.at("steps");
    run.seconds = json.at("seconds");
    run.processor_seconds = json.at("processor_seconds");
    for (const auto& [name, member] : optional_numbers) run.*member = get_if(json, name);
    return run;
}

const std::pair<const char*, double RealTimeResult::*> real_time_numbers[] = {
    {"steps_a_frame", &RealTimeResult::steps_a_frame},
    {"simulated", &RealTimeResult::simulated},
    {"step_mean", &RealTimeResult::mean},
    {"step_median", &RealTimeResult::median},
    {"step_slowest", &RealTimeResult::slowest},
    {"step_wall_mean", &RealTimeResult::wall_mean},
    {"skinning_linear", &RealTimeResult::linear},
    {"skinning_dual_quaternion", &RealTimeResult::dual_quaternion},
    {"unit", &RealTimeResult::unit},
};

Json to_json(const RealTimeResult& result) {
    Json json;
    if (!result.trouble.empty()) json["trouble"] = result.trouble;
    json["edges"] = result.edges;
    json["vertices"] = result.vertices;
    json["steps"] = result.steps;
    for (const auto& [name, member] : real_time_numbers) json[name] = result.*member;
    json["times_real_time"] = result.times_real_time();
    json["phases"] = Json::object();
    for (const auto& [name, share] : result.phases) json["phases"][name] = share;
    return json;
}

RealTimeResult real_time_from(const Json& json) {
    RealTimeResult result;
    result.trouble = json.value("trouble", "");
    result.edges = json.at("edges");
    result.vertices = json.at("vertices");
    result.steps = json.at("steps");
    for (const auto& [name, member] : real_time_numbers) result.*member = json.at(name);
    for (const auto& [name, share] : json.at("phases").items()) result.phases.emplace_back(name, share.get<double>());
    return result;
}

const std::pair<const char*, double FrameTimesResult::*> frame_times_numbers[] = {
    {"spacing", &FrameTimesResult::spacing},
    {"simulated", &FrameTimesResult::simulated},
    {"elastic_iterations", &FrameTimesResult::elastic},
    {"pressure_iterations", &FrameTimesResult::pressure},
    {"products", &FrameTimesResult::products},
    {"frame", &FrameTimesResult::frame},
    {"seconds", &FrameTimesResult::seconds},
    {"processor_seconds", &FrameTimesResult::processor_seconds},
};

Json to_json(const FrameTimesResult& result) {
    Json json;
    json["variant"] = result.variant;
    if (!result.trouble.empty()) json["trouble"] = result.trouble;
    json["solid"] = result.solid;
    json["liquid"] = result.liquid;
    json["moduli"] = result.moduli;
    json["steps"] = result.steps;
    for (const auto& [name, member] : frame_times_numbers) json[name] = result.*member;
    json["step"] = result.step();
    json["seconds_a_frame"] = result.of_frame(result.seconds);
    json["processor_seconds_a_frame"] = result.of_frame(result.processor_seconds);
    put_if(json, "kept_spin", result.kept_spin);
    return json;
}

FrameTimesResult frame_times_from(const Json& json) {
    FrameTimesResult result;
    result.variant = json.at("variant");
    result.trouble = json.value("trouble", "");
    result.solid = json.at("solid");
    result.liquid = json.at("liquid");
    result.moduli = json.at("moduli");
    result.steps = json.at("steps");
    for (const auto& [name, member] : frame_times_numbers) result.*member = json.value(name, result.*member);
    result.kept_spin = get_if(json, "kept_spin");
    return result;
}

Json to_json(const ConvergenceResult& result) {
    return {{"variant", result.variant}, {"penalty", result.penalty}, {"course", result.course}};
}

ConvergenceResult convergence_from(const Json& json) {
    return {json.at("variant"), json.at("penalty"), json.at("course")};
}

Json published_json(const std::vector<Variant>& variants) {
    Json all = Json::array();
    for (const Variant& variant : variants) {
        if (!variant.published) continue;
        const PublishedFrame& frame = *variant.published;
        Json json = {{"variant", variant.name}, {"particles", frame.particles}, {"moduli", frame.moduli}};
        put_if(json, "spacing", frame.spacing);
        put_if(json, "step", frame.step);
        put_if(json, "elastic_iterations", frame.elastic);
        put_if(json, "pressure_iterations", frame.pressure);
        put_if(json, "seconds_a_frame", frame.seconds);
        all.push_back(json);
    }
    return all;
}

Json published_json(const PublishedTimes& times) {
    Json json;
    const auto put = [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    };
    put("particles", times.particles);
    put("edges", times.edges);
    put("vertices", times.vertices);
    put("solver", times.solver);
    put("skinning", times.skinning);
    put("skinning_with_rendering", times.skinning_with_rendering);
    if (!times.compared_with.empty()) json["ratios"][times.compared_with] = times.slowdown;
    return json;
}

Json published_json(const PublishedRow& row) {
    Json json;
    json["name"] = row.name;
    json["particles"] = row.particles;
    for (std::size_t k = 0; k < row.runs.size(); ++k) {
        json["runs"].push_back(
            {{"integrator", compared_integrators[k]}, {"step", row.runs[k].step}, {"seconds", row.runs[k].seconds}});
        if (k > 0) json["ratios"][compared_integrators[k]] = row.runs[k].seconds / row.runs[0].seconds;
    }
    return json;
}

// Of the integrators, and what follows from them.
void put_runs(Json& json, const ItemResult& item) {
    json["runs"] = Json::array();
    for (const IntegratorResult& run : item.runs) {
        json["runs"].push_back(to_json(run));
        if (const auto ratio = item.ratio(run.integrator); ratio && run.integrator != compared_integrators[0])
            json["ratios"][run.integrator] = *ratio;
    }
}

Json to_json(const ItemResult& item, const ReproducedItem& reproduced, const ReproduceResults& results) {
    Json json;
    json["name"] = item.name;
    json["title"] = reproduced.title;
    json["quick"] = item.is_quick;
    json["particles"] = item.particles;
    json["simulated"] = item.simulated;
    if (item.real_time) {
        json["real_time"] = to_json(*item.real_time);
    } else if (!item.variants.empty()) {
        json["variants"] = Json::array();
        for (const FrameTimesResult& one : item.variants) json["variants"].push_back(to_json(one));
        for (std::size_t k = 1; k < item.variants.size(); ++k)
            put_if(json["ratios"], item.variants[k].variant.c_str(), item.slowdown(k));
    } else {
        put_runs(json, item);
    }
    for (const ConvergenceResult& one : item.courses) json["courses"].push_back(to_json(one));
    if (reproduced.row) json["published"] = published_json(*reproduced.row);
    if (reproduced.times) {
        const std::string& other = reproduced.times->compared_with;
        if (const auto slowdown = results.slowdown(item.name, other)) json["ratios"][other] = *slowdown;
        json["published"] = published_json(*reproduced.times);
    }
    if (!reproduced.variants.empty()) json["published"] = published_json(reproduced.variants);
    json["pictures"] = item.pictures;
    json["command"] = item.command;
    json["version"] = item.version;
    json["machine"] = item.machine;
    json["threads"] = item.threads;
    json["written"] = item.written;
    return json;
}

ItemResult item_from(const Json& json) {
    ItemResult item;
    item.name = json.at("name");
    item.is_quick = json.at("quick");
    item.particles = json.at("particles");
    item.simulated = json.at("simulated");
    if (json.contains("real_time")) {
        item.real_time = real_time_from(json["real_time"]);
    } else if (json.contains("variants")) {
        for (const Json& one : json["variants"]) item.variants.push_back(frame_times_from(one));
    } else {
        for (const Json& run : json.at("runs")) item.runs.push_back(run_from(run));
    }
    if (json.contains("courses")) {
        for (const Json& one : json["courses"]) item.courses.push_back(convergence_from(one));
    }
    item.pictures = json.at("pictures").get<std::vector<std::string>>();
    item.command = json.at("command");
    item.version = json.at("version");
    item.machine = json.at("machine");
    item.threads = json.at("threads");
    item.written = json.at("written");
    return item;
}

}  // namespace

const IntegratorResult* ItemResult::find(const std::string& integrator) const {
    const auto is_it = [&](const IntegratorResult& run) { return run.integrator == integrator; };
    const auto found = std::find_if(runs.begin(), runs.end(), is_it);
    return found == runs.end() ? nullptr : &*found;
}

std::optional<double> ItemResult::ratio(const std::string& integrator) const {
    const IntegratorResult *implicit = find(compared_integrators[0]), *other = find(integrator);
    if (!implicit || !other || !implicit->is_stable || !other->is_stable || !(implicit->seconds > 0)) return {};
    return other->seconds / implicit->seconds;
}

std::optional<double> ItemResult::slowdown(std::size_t variant) const {
    if (variant >= variants.size()) return {};
    const FrameTimesResult &one = variants[variant], &first = variants[0];
    const double seconds = first.of_frame(first.processor_seconds);
    if (!one.trouble.empty() || !first.trouble.empty() || !(seconds > 0)) return {};
    return one.of_frame(one.processor_seconds) / seconds;
}

void ReproduceResults::put(ItemResult item) {
    std::erase_if(items, [&](const ItemResult& old) { return old.name == item.name; });
    items.push_back(std::move(item));
    const auto& order = find_paper(paper).items;
    const auto place = [&](const ItemResult& one) {
        return std::find_if(order.begin(), order.end(), [&](const auto& known) { return known.name == one.name; });
    };
    std::stable_sort(items.begin(), items.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

const ItemResult* ReproduceResults::find(const std::string& name) const {
    const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
    return found == items.end() ? nullptr : &*found;
}

std::optional<double> ReproduceResults::slowdown(const std::string& item, const std::string& other) const {
    const ItemResult *slow = find(item), *fast = find(other);
    if (!slow || !fast || !slow->real_time || !fast->real_time || !(fast->real_time->mean > 0)) return {};
    return slow->real_time->mean / fast->real_time->mean;
}

void write_results(const std::filesystem::path& file, const ReproduceResults& results) {
    const ReproducedPaper& paper = find_paper(results.paper);
    Json json;
    json["made_by"] = made_by;
    json["paper"] = results.paper;
    json["title"] = paper.title;
    json["items"] = Json::array();
    for (const ItemResult& item : results.items)
        json["items"].push_back(to_json(item, find_item(paper, item.name), results));
    write_text_atomically(file, json.dump(2) + "\n");
}

std::optional<ReproduceResults> read_results(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const Json json = Json::parse(stream, nullptr, false);
    try {
        if (!json.is_object() || json.value("made_by", "") != made_by) return {};
        ReproduceResults results;
        results.paper = json.at("paper");
        for (const Json& item : json.at("items")) results.items.push_back(item_from(item));
        return results;
    } catch (const nlohmann::json::exception&) {
        return {};
    }
}

}  // namespace pliant
