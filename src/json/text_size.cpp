#include "json/text_size.h"

#include <algorithm>

namespace coppice::json {
namespace {

class TextMeter {
 public:
  explicit TextMeter(size_t max_bytes) : max_bytes_(max_bytes) {}

  const TextSize& size() const { return size_; }

  void Add(const Value& value, size_t depth) {
    size_.depth = std::max(size_.depth, depth);
    if (value.IsString()) {
      size_.bytes += value.AsString().size() + 2;
      return;
    }
    size_.bytes += 4;
    if (value.IsObject()) {
      for (const Member& member : value.Members()) {
        size_.bytes += member.name().size() + 4;
        if (size_.bytes > max_bytes_) return;
        Add(member.value, depth + 1);
      }
    } else if (value.IsArray()) {
      for (const Value& item : value.Items()) {
        if (size_.bytes > max_bytes_) return;
        Add(item, depth + 1);
      }
    }
  }

 private:
  const size_t max_bytes_;
  TextSize size_;
};

}  // namespace

TextSize SizeAsText(const Value& value, size_t max_bytes) {
  TextMeter meter(max_bytes);
  meter.Add(value, 1);
  return meter.size();
}

}  // namespace coppice::json
