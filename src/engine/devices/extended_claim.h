#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/devices.h"
#include "engine/input.h"

namespace coppice::engine {

// Which request of a claim serves which resource of which container.
struct ContainerMapping {
  std::string container;
  std::string request;
  std::string resource;
};

// The claim that stands for those extended resources of a pod which device classes serve and the
// node's own device plugins do not (docs/behaviour/engine.md S-94).
struct ExtendedClaim {
  ResourceClaimSpec claim;  // Requests alone, by name.
  std::vector<ContainerMapping> mappings;
};

// Device classes by the resources they serve: by the name they give, and by their own.
std::map<std::string, std::string> ClassesByResource(
    const std::map<std::string, DeviceClassSpec>& classes);

// Whether the node has some of the resource of its own.
using OffersResource = std::function<bool(const std::string&)>;

// Containers that run to the end have a request for each resource. Those that only prepare use what
// later ones have, and one more request holds the largest rest.
ExtendedClaim MakeExtendedClaim(const PodShape& shape,
                                const std::map<std::string, std::string>& classes,
                                const OffersResource& node_offers);

}  // namespace coppice::engine
