#include "engine/model/extended_claim.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::engine {
namespace {

struct Wish {
  size_t container = 0;
  bool prepares = false;  // An ordinary init container.
  std::string container_name;
  std::string resource;
  std::string device_class;
  std::string request;
  int64_t count = 0;
};

// Init containers first, each kind in its order.
std::vector<const ContainerSpec*> ContainersInOrder(const PodShape& shape) {
  std::vector<const ContainerSpec*> all;
  for (const bool app : {false, true}) {
    for (const ContainerSpec& container : shape.containers) {
      if ((container.kind == ContainerKind::kApp) == app) all.push_back(&container);
    }
  }
  return all;
}

std::vector<Wish> Wishes(const PodShape& shape, const std::map<std::string, std::string>& classes,
                         const OffersResource& node_offers) {
  std::vector<Wish> wishes;
  const std::vector<const ContainerSpec*> containers = ContainersInOrder(shape);
  for (size_t i = 0; i < containers.size(); ++i) {
    size_t j = 0;
    for (const auto& [resource, amount] : containers[i]->requests) {
      const size_t index = j++;
      const auto device_class = classes.find(resource);
      if (device_class == classes.end() || amount.Sign() <= 0) continue;
      if (node_offers(resource)) continue;
      wishes.push_back({i, containers[i]->kind == ContainerKind::kInit, containers[i]->name,
                        resource, device_class->second,
                        fmt::format("container-{}-request-{}", i, index), amount.Value()});
    }
  }
  return wishes;
}

void AddRequest(const Wish& wish, int64_t count, ExtendedClaim& out) {
  out.claim.requests.push_back({.name = wish.request,
                                .device_class = wish.device_class,
                                .mode = DeviceAllocationMode::kExactCount,
                                .count = count});
}

// What remains of a request after reusing the devices of containers that last longer.
int64_t Borrow(const Wish& wish, const std::vector<Wish>& wishes, ExtendedClaim& out) {
  int64_t left = wish.count;
  for (const Wish& other : wishes) {
    if (left <= 0) break;
    if (other.prepares || other.container < wish.container ||
        other.device_class != wish.device_class) {
      continue;
    }
    out.mappings.push_back({wish.container_name, other.request, wish.resource});
    left -= other.count;
  }
  return std::max<int64_t>(left, 0);
}

}  // namespace

std::map<std::string, std::string> ClassesByResource(
    const std::map<std::string, DeviceClassSpec>& classes) {
  std::map<std::string, std::string> by_resource;
  for (const auto& [name, device_class] : classes) {
    if (!device_class.extended_resource_name.empty()) {
      by_resource.emplace(device_class.extended_resource_name, name);
    }
    by_resource.emplace("deviceclass.resource.kubernetes.io/" + name, name);
  }
  return by_resource;
}

ExtendedClaim MakeExtendedClaim(const PodShape& shape,
                                const std::map<std::string, std::string>& classes,
                                const OffersResource& node_offers) {
  ExtendedClaim out;
  const std::vector<Wish> wishes = Wishes(shape, classes, node_offers);
  for (const Wish& wish : wishes) {
    if (wish.prepares) continue;
    AddRequest(wish, wish.count, out);
    out.mappings.push_back({wish.container_name, wish.request, wish.resource});
  }
  std::map<std::string, std::pair<const Wish*, int64_t>> rest;  // The largest remainder, by class.
  std::vector<const Wish*> short_of;
  for (const Wish& wish : wishes) {
    if (!wish.prepares) continue;
    const int64_t left = Borrow(wish, wishes, out);
    if (left == 0) continue;
    short_of.push_back(&wish);
    auto& largest = rest[wish.device_class];
    if (left > largest.second) largest = {&wish, left};
  }
  for (const auto& [device_class, largest] : rest) AddRequest(*largest.first, largest.second, out);
  for (const Wish* wish : short_of) {
    out.mappings.push_back(
        {wish->container_name, rest[wish->device_class].first->request, wish->resource});
  }
  std::sort(out.claim.requests.begin(), out.claim.requests.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

}  // namespace coppice::engine
