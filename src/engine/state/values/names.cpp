#include "engine/state/values/names.h"

#include <algorithm>
#include <cstring>

namespace coppice::engine {
namespace {
constexpr size_t kBlock = 64 * 1024;
}  // namespace

Names::Names() : ids_(0, Hash{&texts_}, Equal{&texts_}) { Intern(""); }

NameId Names::Intern(std::string_view text) {
  if (auto found = ids_.find(text); found != ids_.end()) return *found;
  const std::string_view kept = Keep(text);
  const auto id = static_cast<NameId>(texts_.size());
  texts_.push_back(kept);
  ids_.insert(id);
  return id;
}

NameId Names::Find(std::string_view text) const {
  auto found = ids_.find(text);
  return found == ids_.end() ? kMissing : *found;
}

std::string_view Names::Keep(std::string_view text) {
  if (text.empty()) return {};
  if (block_free_ < text.size()) {
    const size_t size = std::max(kBlock, text.size());
    blocks_.push_back(std::make_unique<char[]>(size));
    block_free_ = size;
  }
  // Blocks are filled from the end, so that one counter describes the current one.
  char* at = blocks_.back().get() + block_free_ - text.size();
  std::memcpy(at, text.data(), text.size());
  block_free_ -= text.size();
  return {at, text.size()};
}

}  // namespace coppice::engine
