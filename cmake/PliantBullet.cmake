# Bullet as Debian builds it for double precision, and of it only what solves contacts.
find_path(BULLET_INCLUDE btBulletDynamicsCommon.h PATH_SUFFIXES bullet REQUIRED)
add_library(pliant_bullet INTERFACE)
target_include_directories(pliant_bullet SYSTEM INTERFACE ${BULLET_INCLUDE})
target_compile_definitions(pliant_bullet INTERFACE BT_USE_DOUBLE_PRECISION)
foreach(part BulletDynamics BulletCollision LinearMath)
  find_library(${part}_LIBRARY ${part}-float64 REQUIRED)
  target_link_libraries(pliant_bullet INTERFACE ${${part}_LIBRARY})
endforeach()
