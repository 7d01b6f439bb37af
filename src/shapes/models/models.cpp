#include "pliant/shapes/models/models.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/shapes/models/recipe_shape.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant {

namespace {

using Size = RecipeShape::Size;

struct Model {
    ModelInfo info;
    Recipe recipe;
    Size size;
};

const std::vector<Model>& models() {
    static const std::vector<Model> list = {
        {{"bird", "a bird built like a brick, for throwing at things"}, recipes::bird, Size::height},
        {{"creature", "a creature in armour: plates, snout, tail and claws"}, recipes::creature, Size::height},
        {{"fish", "a lionfish: spines on its back, pectoral fins spread like fans"}, recipes::fish, Size::height},
        {{"gummy-bear", "a bear of jelly, sitting, paws on its belly"}, recipes::gummy_bear, Size::height},
        {{"hairball", "a ball of strands with gaps between them, all joined"}, recipes::hairball, Size::height},
        {{"hand", "an open right hand, palm to the front"}, recipes::hand, Size::height},
        {{"head", "a head as in a shop window, with neck and shoulders to stand on"}, recipes::head, Size::height},
        {{"octopus", "an octopus with eight curled arms"}, recipes::octopus, Size::height},
        {{"plant", "a water plant, upright: a bent stem on a foot, with long pointed leaves"},
         recipes::plant,
         Size::height},
        {{"rabbit", "a rabbit on its haunches, ears up"}, recipes::rabbit, Size::height},
        {{"rolling-truck", "the truck in three pieces: body, and two axles with their wheels that can turn"},
         recipes::rolling_truck,
         Size::height},
        {{"rope", "a length of three-strand rope along x; height means its length"}, recipes::rope, Size::largest},
        {{"sheet", "a flat square in the x-z plane, 1/40 thick; height means its side"}, recipes::sheet, Size::largest},
        {{"sofa", "a sofa for two: cushions, round arms, short feet"}, recipes::sofa, Size::height},
        {{"truck", "a monster truck on four big wheels"}, recipes::truck, Size::height},
    };
    return list;
}

}  // namespace

const std::vector<ModelInfo>& model_list() {
    static const std::vector<ModelInfo> list = [] {
        std::vector<ModelInfo> infos;
        for (const Model& model : models()) infos.push_back(model.info);
        return infos;
    }();
    return list;
}

ShapePtr make_model(const std::string& name) {
    std::vector<std::string> names;
    for (const Model& model : models()) {
        if (model.info.name == name) return std::make_shared<RecipeShape>(model.recipe, model.size);
        names.push_back(model.info.name);
    }
    const auto near = nearest_name(name, names);
    throw InputError(fmt::format("there is no model '{}'{}; the models are: {}", name,
                                 near ? fmt::format(", did you mean '{}'?", *near) : "", fmt::join(names, ", ")));
}

}  // namespace pliant
