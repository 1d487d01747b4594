#include "http/server/unsent_bytes.h"

#include "http/server/stream.h"

namespace coppice::http {

void UnsentBytes::Enter(const ResponseStream* stream) {
  std::lock_guard lock(mutex_);
  streams_.insert(stream);
}

void UnsentBytes::Leave(const ResponseStream* stream) {
  std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void UnsentBytes::Add(size_t bytes) {
  used_.fetch_add(bytes, std::memory_order_relaxed);
  all_->Add(bytes);
}

void UnsentBytes::Subtract(size_t bytes) {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  all_->Subtract(bytes);
}

void UnsentBytes::SetWriting(size_t bytes) {
  Subtract(writing_);
  writing_ = bytes;
  Add(bytes);
}

size_t UnsentBytes::Held() const {
  std::lock_guard lock(mutex_);
  size_t held = writing_;
  for (const ResponseStream* stream : streams_) held += stream->HeldBytes();
  return held;
}

}  // namespace coppice::http
