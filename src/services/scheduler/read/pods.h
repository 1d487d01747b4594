#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "engine/model/input.h"
#include "json/content_hash.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// Turns pods into the engine's form. Pods of equal templates share one shape, found by content;
// shapes that no pod uses any more are dropped as new ones come.
class PodReader {
 public:
  // `bind_request` is null when there is none that counts. If `taken_by` is set, the engine sees
  // the pod with that scheduler's name.
  engine::PodSpec Read(const json::Value& pod, const engine::BindRequestSpec* bind_request,
                       const std::string& taken_by = "");

 private:
  std::shared_ptr<const engine::PodShape> ShapeOf(view::core::Pod pod, const std::string& taken_by);
  void DropUnused();

  std::unordered_map<json::ContentHash, std::weak_ptr<const engine::PodShape>,
                     json::ContentHash::Use>
      shapes_;
  size_t shapes_after_cleaning_ = 0;
};

engine::PodShape ReadPodShape(const json::Value& pod);
engine::PodPhase ReadPodPhase(view::core::Pod pod, bool has_bind_request);
// When a pod that has a node got it.
std::optional<base::Time> ReadPlacedAt(const json::Value& pod);
std::vector<engine::NumaPlacement> ReadNumaPlacement(view::List<view::kai::NumaZone> list);
// Quality of service by Kubernetes' rules.
engine::QosClass QosOf(view::core::Pod pod);

}  // namespace coppice::services::scheduler
