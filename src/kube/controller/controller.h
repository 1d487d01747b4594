#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/cache/cache.h"
#include "kube/controller/reconciler.h"
#include "kube/executor/priority.h"

namespace coppice::kube {

// Maps a watched object to the controller's keys. Has no side effects.
using Mapper = std::function<std::vector<ObjectKey>(const json::Value& object)>;
// False keeps a change from waking the controller.
using Predicate = std::function<bool(const Change& change)>;

struct WatchSpec {
  Resource resource;
  Mapper mapper;
  Predicate predicate;  // Empty: every change.
  // The priority of a change. Empty: kNormal.
  std::function<Priority(const Change& change)> priority;
};

// Called before a key is queued because `cause` changed.
using EnqueueHook = std::function<void(const ObjectKey& key, const json::Value& cause)>;

// A controller's description: what it watches and how many keys it processes concurrently. Built
// with the functions below and handed to Manager::AddController.
//
//   kube::ControllerSpec spec{.name = "podclique", .workers = 4};
//   spec.For(api::kPodCliques).Owns(api::kPods, "PodClique");
struct ControllerSpec {
  std::string name;
  int workers = 1;
  std::vector<WatchSpec> watches;
  EnqueueHook before_enqueue;  // For controllers that keep what has changed per key. May be empty.

  // Changes of the object itself.
  ControllerSpec& For(const Resource& resource, Predicate predicate = {});
  // Changes of objects whose controller owner reference has this kind.
  ControllerSpec& Owns(const Resource& resource, std::string owner_kind, Predicate predicate = {});
  ControllerSpec& Watches(const Resource& resource, Mapper mapper, Predicate predicate = {});
  // Gives matching changes of the last added watch this priority (see PriorityTracker).
  ControllerSpec& WithPriority(Priority priority, Predicate urgent);
};

// Ready-made predicates.
namespace predicates {
bool GenerationChanged(const Change& change);
}

}  // namespace coppice::kube
