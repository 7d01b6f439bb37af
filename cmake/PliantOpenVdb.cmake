# OpenVDB ships a find module only; its own one drags in Boost components, so we look for the pieces we use.
find_package(Imath REQUIRED)
find_path(OPENVDB_INCLUDE openvdb/openvdb.h REQUIRED)
find_library(OPENVDB_LIBRARY openvdb REQUIRED)
add_library(pliant_openvdb INTERFACE)
target_include_directories(pliant_openvdb SYSTEM INTERFACE ${OPENVDB_INCLUDE})
target_link_libraries(pliant_openvdb INTERFACE ${OPENVDB_LIBRARY} Imath::Imath TBB::tbb)
