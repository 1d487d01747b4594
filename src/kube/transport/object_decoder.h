#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/resource.h"
#include "base/result.h"
#include "json/shared_parse.h"

namespace coppice::kube {

// How deep the objects lie in the text of a watch event and of a list.
inline constexpr int kEventDepth = 1;
inline constexpr int kListDepth = 2;

// Reads lists and watch events of one resource. Thread-safe; a decoder that shares parts reads one
// text at a time.
class ObjectDecoder {
 public:
  ObjectDecoder(bool drop_managed_fields, bool share_equal_parts);

  base::Result<json::Value> Decode(std::string_view text, int root_depth);

 private:
  const bool drop_managed_fields_;
  std::mutex mutex_;                      // Guards pool_.
  std::unique_ptr<json::PartPool> pool_;  // Null: nothing is shared.
};

// One decoder per resource, as only objects of one kind resemble each other. Thread-safe.
class ObjectDecoders {
 public:
  ObjectDecoders(bool drop_managed_fields, bool share_equal_parts)
      : drop_managed_fields_(drop_managed_fields), share_equal_parts_(share_equal_parts) {}

  std::shared_ptr<ObjectDecoder> For(const api::Resource& resource);

 private:
  const bool drop_managed_fields_;
  const bool share_equal_parts_;
  std::mutex mutex_;  // Guards decoders_.
  std::map<std::string, std::shared_ptr<ObjectDecoder>> decoders_;
};

}  // namespace coppice::kube
