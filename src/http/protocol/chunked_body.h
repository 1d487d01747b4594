#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::http {

// Decodes a chunked HTTP/1.1 body incrementally. Buffers at most one line, whatever the peer sends:
// extensions and trailers are skipped and never become part of the request. Bounds as in limits.h.
// Not thread-safe.
class ChunkedBody {
 public:
  enum class State { kMore, kDone, kTooLarge, kMalformed };

  // `max_body`: of the decoded bytes.
  explicit ChunkedBody(size_t max_body) : room_(max_body) {}

  // Consumes bytes from the front of `input` and appends the decoded bytes to `body`. With kMore
  // all of `input` was consumed; with kDone the rest belongs to the next request.
  State Feed(std::string_view& input, std::string& body);
  // What is wrong with a malformed body.
  const char* error() const { return error_; }

 private:
  enum class Part { kSize, kData, kDataEnd, kTrailer };

  State Step(std::string_view& input, std::string& body);
  State OnSize();
  State OnTrailer();
  State Fail(const char* error);
  // True once line_ holds a complete line, without its line end; sets error_ if the line is
  // malformed.
  bool TakeLine(std::string_view& input, size_t limit);
  bool ReadSize(std::string_view digits);

  size_t room_;
  Part part_ = Part::kSize;
  std::string line_;
  uint64_t left_ = 0;      // Of the chunk's data.
  uint64_t overhead_ = 0;  // Beyond what honest clients need.
  size_t trailer_bytes_ = 0;
  const char* error_ = nullptr;
};

}  // namespace coppice::http
