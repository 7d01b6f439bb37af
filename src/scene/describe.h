// The grammar of a scene, once: which tables there are and what they hold. The reader, the writer and the schema are
// visitors of it. A visitor offers
//     fields(settings)                     the plain fields of a settings struct
//     table(name, settings, help)          one table            [name]
//     optional_table(name, optional, help) one table that may be absent
//     tables(name, list, help)             a list of tables     [[name]]
//     named_tables(name, list, help)       tables by name       [name.some-name]
//     shape(name, variant, help)           one of several kinds, told by the key that is there: { box = ... }
//     optional_shape(name, optional, help) the same, may be absent
//     model(name, optional variant, help)  one of several kinds, told by model = "..."; may be absent
#pragma once

#include "pliant/scene/scene.h"

namespace pliant {

template <class Visitor, class Settings>
void describe(Visitor& v, Settings& settings) {
    v.fields(settings);
}

template <class Visitor>
void describe(Visitor& v, MotionSettings& motion) {
    v.fields(motion);
    v.tables("keys", motion.keys, "where it is at a time");
}

template <class Visitor>
void describe(Visitor& v, MaterialSettings& material) {
    v.fields(material);
    v.model("plastic", material.plastic, "flow that stays; without it the material is elastic");
    v.optional_table("viscous", material.viscous,
                     "method mpm: a part beside the elastic one that relaxes; without it the material has none");
}

template <class Visitor>
void describe(Visitor& v, RigGroupSettings& group) {
    v.fields(group);
    v.shape("shape", group.shape, "the region whose particles move as one");
}

template <class Visitor>
void describe(Visitor& v, BodySettings& body) {
    v.fields(body);
    if (body.rig.empty()) {
        v.optional_shape("shape", body.shape,
                         "what it looks like; left out where there is a rig, or where an emitter pours it");
    }
    v.tables("group", body.groups, "method oriented: a rigid part, by a region of the body's own space");
}

template <class Visitor>
void describe(Visitor& v, FluidSettings& fluid) {
    v.fields(fluid);
    v.optional_shape("shape", fluid.shape,
                     "what is full of it at the start; may be left out where an emitter pours it");
}

template <class Visitor>
void describe(Visitor& v, RigidSettings& rigid) {
    v.fields(rigid);
    v.shape("shape", rigid.shape, "what it looks like");
}

template <class Visitor>
void describe(Visitor& v, ScheduleSettings& schedule) {
    v.fields(schedule);
    v.tables("keys", schedule.keys, "the value at a time");
}

template <class Visitor>
void describe(Visitor& v, ColliderSettings& collider) {
    v.fields(collider);
    v.shape("shape", collider.shape, "what it looks like");
    v.optional_table("motion", collider.motion, "how it moves; without it, it stands still");
}

template <class Visitor>
void describe(Visitor& v, PinSettings& pin) {
    v.fields(pin);
    v.shape("shape", pin.shape, "the region whose particles are held");
    v.optional_table("motion", pin.motion, "how the held particles move; without it, they stand still");
}

template <class Visitor>
void describe(Visitor& v, Scene& scene) {
    v.table("simulation", scene.simulation, "what is computed, and for how long");
    v.table("mls", scene.mls, "settings of the method mls");
    v.table("oriented", scene.oriented, "settings of the method oriented");
    v.table("sph", scene.sph, "settings of the method sph");
    v.table("mpm", scene.mpm, "settings of the method mpm");
    v.named_tables("material", scene.materials, "what bodies are made of");
    v.tables("body", scene.bodies, "a deformable body");
    v.tables("fluid", scene.fluids, "a body of liquid");
    v.tables("emitter", scene.emitters, "a source of liquid, and in the method mpm of anything");
    v.tables("rigid", scene.rigids, "a rigid body that moves by itself, pushed by what it meets and pushing back");
    v.tables("collider", scene.colliders, "an obstacle, still or moving");
    v.tables("pin", scene.pins, "a region of a body that is held or driven");
    v.tables("field", scene.fields,
             "methods oriented and sph: a medium, such as water or air, that lifts, slows and carries what is in it");
    v.tables("schedule", scene.schedules,
             "a number of a material that changes over time: what melts, sets, or flows more easily for a while");
    v.table("output", scene.output, "what a run writes");
    v.table("render", scene.render, "how pictures are drawn");
}

}  // namespace pliant
