#include "http/protocol/chunked_body.h"

#include <algorithm>
#include <charconv>

#include "http/server/limits.h"

namespace coppice::http {

ChunkedBody::State ChunkedBody::Feed(std::string_view& input, std::string& body) {
  State state = State::kMore;
  while (state == State::kMore && !input.empty()) state = Step(input, body);
  return state;
}

ChunkedBody::State ChunkedBody::Step(std::string_view& input, std::string& body) {
  if (part_ == Part::kData) {
    const size_t size = std::min<uint64_t>(left_, input.size());
    body.append(input.substr(0, size));
    input.remove_prefix(size);
    left_ -= size;
    if (left_ == 0) part_ = Part::kDataEnd;
    return State::kMore;
  }
  const size_t limit = part_ == Part::kDataEnd   ? 2
                       : part_ == Part::kTrailer ? kMaxTrailerBytes - trailer_bytes_
                                                 : kMaxChunkLineBytes;
  const bool complete = TakeLine(input, limit);
  if (error_ != nullptr) return State::kMalformed;
  if (!complete) return State::kMore;
  const State state = part_ == Part::kTrailer ? OnTrailer() : OnSize();
  line_.clear();
  return state;
}

bool ChunkedBody::TakeLine(std::string_view& input, size_t limit) {
  const size_t end = input.find('\n');
  const std::string_view part = input.substr(0, end == input.npos ? end : end + 1);
  if (line_.size() + part.size() > limit) {
    error_ = part_ == Part::kTrailer ? "the trailers are too long"
             : part_ == Part::kSize  ? "the line of a chunk is too long"
                                     : "a chunk is longer than it says";
    return false;
  }
  line_ += part;
  input.remove_prefix(part.size());
  if (end == input.npos) return false;
  if (!line_.ends_with("\r\n") || line_.find('\r') != line_.size() - 2) {
    error_ = "a line of the chunked body does not end in CR LF";
    return false;
  }
  return true;
}

// Also the end of a chunk's data, which is an empty line.
ChunkedBody::State ChunkedBody::OnSize() {
  if (part_ == Part::kDataEnd) {
    part_ = Part::kSize;
    return State::kMore;
  }
  overhead_ += line_.size();
  std::string_view line = std::string_view(line_).substr(0, line_.size() - 2);
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  if (!ReadSize(line.substr(0, line.find(';')))) return Fail("the size of a chunk is no number");
  if (left_ > room_) return State::kTooLarge;
  room_ -= left_;
  const uint64_t allowed = 16 + 2 * left_;
  overhead_ -= std::min(overhead_, allowed);
  if (overhead_ > kMaxChunkOverhead) return Fail("the chunked body has too little data");
  part_ = left_ == 0 ? Part::kTrailer : Part::kData;
  return State::kMore;
}

bool ChunkedBody::ReadSize(std::string_view digits) {
  if (digits.empty() || digits.size() > 16) return false;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
  return error == std::errc() && end == digits.data() + digits.size();
}

ChunkedBody::State ChunkedBody::OnTrailer() {
  if (line_ == "\r\n") return State::kDone;
  trailer_bytes_ += line_.size();
  const size_t colon = line_.find(':');
  if (colon == 0 || colon == std::string::npos) return Fail("a trailer has no name");
  return State::kMore;
}

ChunkedBody::State ChunkedBody::Fail(const char* error) {
  error_ = error;
  return State::kMalformed;
}

}  // namespace coppice::http
