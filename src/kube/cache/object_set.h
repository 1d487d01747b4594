#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <set>
#include <string_view>

#include "api/resource.h"
#include "json/value.h"
#include "kube/cache/packing/packed_object.h"

namespace coppice::kube {

// An object's key without owning its text.
struct KeyView {
  std::string_view ns;
  std::string_view name;

  KeyView(std::string_view n, std::string_view o) : ns(n), name(o) {}
  KeyView(const api::ObjectKey& key) : ns(key.ns), name(key.name) {}  // NOLINT: implicit
  friend auto operator<=>(const KeyView&, const KeyView&) = default;
};

// Objects of one resource in key order. An entry costs one tree node, and unless objects are packed
// a place in a table by which it is found: its key is read from the object's own text. Not
// thread-safe.
class ObjectSet {
 public:
  ObjectSet() = default;
  // Keeps objects packed (packed_object.h).
  explicit ObjectSet(bool packed) : packer_(packed ? std::make_unique<ObjectPacker>() : nullptr) {}

  // One object. Its address stays the same until the object is erased.
  class Slot {
   public:
    explicit Slot(PackedObject object);
    KeyView key() const { return {ns_, name_}; }
    json::Value object() const { return object_.Unpack(); }

   private:
    friend class ObjectSet;
    // The set orders slots by key, which stays equal when a newer object takes the place. The views
    // point into the object, which is not modified while it is shared with this slot.
    mutable PackedObject object_;
    mutable std::string_view ns_;
    mutable std::string_view name_;
  };
  struct Less {
    using is_transparent = void;
    static KeyView Of(const Slot& slot) { return slot.key(); }
    static KeyView Of(KeyView key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) < Of(b);
    }
  };
  using Slots = std::set<Slot, Less>;

  const Slot* Find(KeyView key) const;
  // Puts `object` in, in place of the one with its key where there is one. Returns its slot.
  const Slot& Put(json::Value object);
  void Erase(const Slot& slot);

  Slots::const_iterator begin() const { return slots_.begin(); }
  Slots::const_iterator end() const { return slots_.end(); }
  // The first object of this namespace or a later one.
  Slots::const_iterator Namespace(std::string_view ns) const {
    return slots_.lower_bound(KeyView(ns, ""));
  }
  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }

 private:
  // Both by key. What points to a slot is good as long as the slot is.
  struct Hash {
    using is_transparent = void;
    size_t operator()(KeyView key) const;
    size_t operator()(const Slot* slot) const { return (*this)(slot->key()); }
  };
  struct Equal {
    using is_transparent = void;
    static KeyView Of(const Slot* slot) { return slot->key(); }
    static KeyView Of(KeyView key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) == Of(b);
    }
  };

  std::unique_ptr<ObjectPacker> packer_;
  Slots slots_;
  boost::unordered_flat_set<const Slot*, Hash, Equal> by_key_;  // Empty when objects are packed.
};

}  // namespace coppice::kube
