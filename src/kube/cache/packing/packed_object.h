#pragma once

#include "json/value.h"
#include "kube/cache/packing/sharing.h"

namespace coppice::kube {

// An object as a base that many have in common, and the parts in which objects of one template
// differ: name, uid, version, node, containers, status. A hundred bytes or two in place of a
// thousand, for some time whenever the object is read.
struct PackedObject {
  json::Value base;    // With null in the place of each part; the whole object when not packed.
  json::Value leaves;  // The parts; null: not packed.

  static constexpr size_t kName = 0;  // Which of the parts the name is.

  json::Value Unpack() const;
};

// Packs objects and lets them share their bases and equal parts. Not thread-safe.
class ObjectPacker {
 public:
  PackedObject Pack(json::Value object);

 private:
  SharingPool pool_;
};

}  // namespace coppice::kube
