#include "kube/client/write_fence.h"

#include <fmt/format.h>

#include <charconv>

namespace coppice::kube {

std::string WriteFence::Encode() const {
  return fmt::format("{}/{} {} {}", lease.ns, lease.name, transitions, holder);
}

std::optional<WriteFence> WriteFence::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const size_t name_end = text.find(' ');
  const size_t number_end = name_end == text.npos ? text.npos : text.find(' ', name_end + 1);
  if (slash == text.npos || number_end == text.npos || slash > name_end) return std::nullopt;
  WriteFence fence;
  fence.lease.ns = text.substr(0, slash);
  fence.lease.name = text.substr(slash + 1, name_end - slash - 1);
  fence.holder = text.substr(number_end + 1);
  const char* end = text.data() + number_end;
  const auto read = std::from_chars(text.data() + name_end + 1, end, fence.transitions);
  const bool complete = read.ec == std::errc() && read.ptr == end && !fence.lease.ns.empty() &&
                        !fence.lease.name.empty() && !fence.holder.empty();
  return complete ? std::optional(std::move(fence)) : std::nullopt;
}

}  // namespace coppice::kube
