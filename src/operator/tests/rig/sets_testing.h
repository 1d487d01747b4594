#pragma once

#include <string>

#include "operator/tests/rig/world_testing.h"

// Sets and worlds that several tests use.
namespace coppice::operators {

// A cluster with the default scheduler and upstream's behaviour, or our own.
World::Options GroveWorld(uint64_t seed = 0);
World::Options DefaultWorld(uint64_t seed = 0);

// Clique fe (2, minimum 1) alone; group g (2, minimum 1) of ld (1) and wk (2, all).
std::string SmallSet(const std::string& image = "i:1", int replicas = 1,
                     const std::string& strategy = "RollingRecreate");
// A JSON patch that gives every clique of the small set another image.
std::string ImagePatch(const std::string& image);

// How many pods of the small set run `image`.
int PodsWithImage(World& world, const std::string& image);
// What must always hold for pods: no two active ones share a hostname, none is bound while gated.
// "" if it holds.
std::string BrokenPods(World& world);

}  // namespace coppice::operators
