#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/model/devices.h"
#include "engine/model/input.h"

namespace coppice::engine {

// Maps a request of a claim to a resource of a container.
struct ContainerMapping {
  std::string container;
  std::string request;
  std::string resource;
};

// The claim for those extended resources of a pod that device classes serve and the node's own
// device plugins do not (docs/behaviour/engine.md S-94).
struct ExtendedClaim {
  ResourceClaimSpec claim;  // Only requests, sorted by name.
  std::vector<ContainerMapping> mappings;
};

// Device classes by the resources they serve: by their extendedResourceName and by their implicit
// name.
std::map<std::string, std::string> ClassesByResource(
    const std::map<std::string, DeviceClassSpec>& classes);

// Whether the node itself offers the resource.
using OffersResource = std::function<bool(const std::string&)>;

// Regular containers and sidecars get one request per resource. Init containers reuse the devices
// of later ones, and one more request per class covers the largest remainder.
ExtendedClaim MakeExtendedClaim(const PodShape& shape,
                                const std::map<std::string, std::string>& classes,
                                const OffersResource& node_offers);

}  // namespace coppice::engine
