#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>

#include "json/value.h"

namespace coppice::kube {

// Makes documents share their equal parts: pods of one template differ in a few strings and are
// otherwise the same text over and over. Equal strings, lists and objects that went through one
// pool within some time of each other end up as one representation.
//
// The pool is bounded: it remembers the parts used most recently, in two generations small enough
// for a processor's cache. The document itself, which holds name and uid, is not looked up. Not
// thread-safe.
class SharingPool {
 public:
  explicit SharingPool(size_t generation_size = 1 << 14) : generation_size_(generation_size) {}

  json::Value Share(json::Value document);
  size_t size() const { return young_.size() + old_.size(); }

 private:
  struct Part {
    uint64_t hash;
    json::Value value;
  };
  struct PartHash {
    size_t operator()(const Part& part) const { return part.hash; }
  };
  struct PartEqual {
    bool operator()(const Part& a, const Part& b) const;
  };
  using Parts = boost::unordered_flat_set<Part, PartHash, PartEqual>;

  // Shares what is inside `value`, then `value` itself. Returns the content's hash.
  uint64_t Visit(json::Value& value, int depth);
  uint64_t VisitString(json::Value& value);
  uint64_t VisitItems(json::Value& value, int depth);
  uint64_t VisitMembers(json::Value& value, int depth);
  void Canonicalize(uint64_t hash, json::Value& value);

  const size_t generation_size_;
  Parts young_;
  Parts old_;
};

}  // namespace coppice::kube
