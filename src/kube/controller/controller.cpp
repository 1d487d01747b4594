#include "kube/controller/controller.h"

#include "kube/object.h"

namespace coppice::kube {

ControllerSpec& ControllerSpec::For(const Resource& resource, Predicate predicate) {
  const auto itself = [](const json::Value& object) { return std::vector{KeyOf(object)}; };
  return Watches(resource, itself, std::move(predicate));
}

ControllerSpec& ControllerSpec::Owns(const Resource& resource, std::string owner_kind,
                                     Predicate predicate) {
  const auto owner = [kind = std::move(owner_kind)](const json::Value& object) {
    const view::meta::OwnerReference reference(ControllerOwner(object));
    if (reference.kind() != kind) return std::vector<ObjectKey>();
    return std::vector{ObjectKey{std::string(Namespace(object)), std::string(reference.name())}};
  };
  return Watches(resource, owner, std::move(predicate));
}

ControllerSpec& ControllerSpec::Watches(const Resource& resource, Mapper mapper,
                                        Predicate predicate) {
  watches.push_back({resource, std::move(mapper), std::move(predicate), {}});
  return *this;
}

ControllerSpec& ControllerSpec::WithPriority(Priority priority, Predicate urgent) {
  watches.back().priority = [priority, urgent = std::move(urgent)](const Change& change) {
    return urgent(change) ? priority : Priority::kNormal;
  };
  return *this;
}

namespace predicates {

bool GenerationChanged(const Change& change) {
  return change.type != ChangeType::kUpdated ||
         Generation(change.old_object) != Generation(change.object);
}

}  // namespace predicates
}  // namespace coppice::kube
