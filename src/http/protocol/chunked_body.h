#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::http {

// Decodes a chunked body of HTTP/1.1 piece by piece. Holds at most one line, whatever the peer
// sends: extensions and trailers are skipped and never become part of the request. Bounds as in
// limits.h. Not thread-safe.
class ChunkedBody {
 public:
  enum class State { kMore, kDone, kTooLarge, kMalformed };

  // `max_body`: of the decoded bytes.
  explicit ChunkedBody(size_t max_body) : room_(max_body) {}

  // Takes bytes off the front of `input` and appends what they decode to, to `body`. In state kMore
  // all of `input` was taken; with kDone, what is left belongs to the next request.
  State Feed(std::string_view& input, std::string& body);
  // What is wrong with a malformed body.
  const char* error() const { return error_; }

 private:
  enum class Part { kSize, kData, kDataEnd, kTrailer };

  State Step(std::string_view& input, std::string& body);
  State OnSize();
  State OnTrailer();
  State Fail(const char* error);
  // True once line_ holds a whole line, without its end; error_ is set when it is none.
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
