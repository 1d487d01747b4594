#pragma once

#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace coppice::http {

// Compresses a body piece by piece. Not thread-safe.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();

  // What is ready after `piece`; everything after the last one. May be empty.
  std::string Add(std::string_view piece, bool last);

 private:
  const std::unique_ptr<z_stream_s> stream_;
};

}  // namespace coppice::http
