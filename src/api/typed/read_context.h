#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "json/value.h"

namespace coppice::api::typed {

// What went wrong while reading, and where. The path is put together on the way out, so that
// reading what is well formed costs nothing. Every function returns false, to be returned on.
class ReadContext {
 public:
  bool Fail(std::string_view problem);
  bool WrongType(const json::Value& value, std::string_view wanted);
  bool Unsupported(const json::Value& value);
  bool Prefix(std::string_view name);
  bool PrefixIndex(size_t index);

  // InvalidArgument with "path.to.field: problem" and the field as its cause.
  base::Error TakeError(std::string_view root) const;

 private:
  std::string path_;
  std::string problem_;
};

}  // namespace coppice::api::typed
