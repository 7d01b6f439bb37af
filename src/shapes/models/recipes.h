// The recipes: signed distances of the models in whatever proportions are handy to write down, front towards +z and
// up +y. models.cpp lists them and brings them to size. Each is one smooth solid in one piece, 1-Lipschitz.
#pragma once

#include "pliant/math/types.h"

namespace pliant::recipes {

Real bird(const Vec3& x);
Real creature(const Vec3& x);
Real fish(const Vec3& x);
Real gummy_bear(const Vec3& x);
Real hairball(const Vec3& x);
Real hand(const Vec3& x);
Real head(const Vec3& x);
Real octopus(const Vec3& x);
Real plant(const Vec3& x);
Real rabbit(const Vec3& x);
Real rope(const Vec3& x);
Real sheet(const Vec3& x);
Real sofa(const Vec3& x);
Real rolling_truck(const Vec3& x);
Real truck(const Vec3& x);

}  // namespace pliant::recipes
