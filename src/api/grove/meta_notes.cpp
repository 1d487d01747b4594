#include "api/grove/crd_notes.h"

namespace coppice::api::grove {

StructNotes Notes(const Condition*) {
  return StructNotes("One aspect of the object's state.")
      .Required({"lastTransitionTime", "message", "reason", "status", "type"})
      .Field("lastTransitionTime", "When the status last changed.", {DateTime()})
      .Field("message", "For people; may be empty.", {MaxLength(32768)})
      .Field("observedGeneration", "The generation that the condition was made from.", {Minimum(0)})
      .Field("reason", "For programs, in CamelCase.",
             {MaxLength(1024), MinLength(1), Pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")})
      .Field("status", "Whether it holds.", {Enum({"True", "False", "Unknown"})})
      .Field("type", "In CamelCase.",
             {MaxLength(316),
              Pattern("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
                      "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$")});
}

StructNotes Notes(const LastError*) {
  return StructNotes("An error of the last pass that did not complete.")
      .Required({"code", "description", "observedAt"})
      .Field("code", "What failed, for programs.")
      .Field("description", "What failed, for people.")
      .Field("observedAt", "When it was first seen.", {DateTime()});
}

StructNotes Notes(const NamespacedName*) {
  return StructNotes("An object by its name.")
      .Required({"name", "namespace"})
      .Field("name", "Its name.")
      .Field("namespace", "Its namespace.");
}

}  // namespace coppice::api::grove
