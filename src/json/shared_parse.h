#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::json {

// Parts of documents by their text. Objects of one kind repeat each other: pods of one template
// differ in a few strings. A part whose text went through the pool a while ago is not read again;
// the document gets the same representation instead, which saves most of the time and most of the
// memory of a cache.
//
// Bounded: a newer part takes the place of an older one. Not thread-safe.
class PartPool {
 public:
  explicit PartPool(size_t slots = 1 << 12);

  // The value of this text, or null. `hash` is HashOf(text).
  const Value* Find(std::string_view text, uint64_t hash) const;
  void Remember(std::string_view text, uint64_t hash, const Value& value);
  // A string value, shared with equal ones where it does not fit into the value itself.
  Value String(std::string_view text);

  static uint64_t HashOf(std::string_view text);

 private:
  struct Slot {
    uint64_t hash = 0;
    std::string text;
    Value value;
  };

  bool SeenBefore(uint64_t hash);

  // Sizes are powers of two.
  std::vector<Slot> parts_;
  std::vector<Slot> strings_;
  std::vector<uint64_t> seen_;
};

struct SharedParseOptions {
  // How deep in the text the objects lie: 0 for an object, 1 in a watch event, 2 in a list. Parts
  // are looked up from two levels below that: what is above is as good as never equal.
  int root_depth = 0;
  // As in ParseOptions.
  bool drop_managed_fields = false;
};

// As Parse, but for sharing what the pool knows. What is left out or known already is not checked
// again for being well-formed.
base::Result<Value> ParseShared(std::string_view text, PartPool& pool,
                                const SharedParseOptions& options = {});

}  // namespace coppice::json
