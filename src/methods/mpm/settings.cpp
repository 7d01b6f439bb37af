#include "pliant/methods/mpm/settings.h"

namespace pliant {

const FieldTable& MpmSettings::fields() {
    using S = MpmSettings;
    static const FieldTable table = {
        field("cell", &S::cell, "", "edge of a cell of the grid, in spacings: 2 puts 8 particles into a cell")
            .at_least(1)
            .at_most(4),
        field("grid", &S::grid, "",
              "moving: laid anew in every step, for all matter. rest: laid once through each body at rest, so that "
              "elastic bodies may be stretched as far as they like and stay whole")
            .one_of({"moving", "rest"}),
        field("cfl", &S::cfl, "", "cells that nothing crosses in a step when the scene gives none").above(0).at_most(1),
        field("largest_step", &S::largest_step, "s", "longest implicit step that is taken when the scene gives none")
            .above(0)
            .at_most(0.1),
        field(
            "implicit", &S::implicit, "",
            "newton: backward_euler damps what swings faster than a few steps; sdirk2, of second order, keeps most of "
            "it at two solves a step")
            .one_of({"backward_euler", "sdirk2"}),
        field("tolerance", &S::tolerance, "",
              "implicit: residual at which a step is solved, over what it is for matter that only falls")
            .above(0)
            .at_most(0.5),
        field("most_iterations", &S::most_iterations, "", "implicit: of a step, Newton's or of ADMM").at_least(1),
        field(
            "damping", &S::damping, "m^2/s",
            "kinematic viscosity that is added by transfers between APIC and RPIC; each eighth of a cell's square over "
            "the step costs a round trip to the grid")
            .at_least(0)
            .at_most(1000),
        field("penalty", &S::penalty, "", "admm: rho, in units of what `weights` says; in Pa for unit weights")
            .above(0)
            .at_most(1e15),
        field("relaxation", &S::relaxation, "", "admm: 1 plain, above 1 over-relaxed").above(0).at_most(1.95),
        field(
            "weights", &S::weights, "",
            "admm: of constraints. stiffness: by the law's tangent at each particle; bulk: by its bulk modulus; unit: "
            "none, to see what they are good for")
            .one_of({"stiffness", "bulk", "unit"}),
        field("equilibration", &S::equilibration, "",
              "admm: makes the constraints' weights such that all rows of the problem are alike in size, by Ruiz"),
        field("liquid_speed", &S::liquid_speed, "m/s",
              "of sound in liquids: ten times the speed of the flow keeps changes of density below one percent")
            .above(0)
            .at_most(2000),
    };
    return table;
}

}  // namespace pliant
