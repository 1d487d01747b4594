#include "store/version.h"

#include "base/log.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::store {

template <typename Make>
void Version::Once(std::atomic<int>& form, const Make& make) {
  if (form.load(std::memory_order_acquire) == kReady) return;
  int missing = kMissing;
  if (form.compare_exchange_strong(missing, kInTheMaking)) {
    make();
    form.store(kReady, std::memory_order_release);
    form.notify_all();
    return;
  }
  while (form.load(std::memory_order_acquire) != kReady) form.wait(kInTheMaking);
}

Version::Version(std::string name, int64_t revision, json::Value value, size_t size)
    : name_(std::move(name)),
      revision_(revision),
      size_(size),
      value_form_(kReady),
      bytes_form_(kMissing),
      value_(std::move(value)) {}

Version::Version(std::string name, int64_t revision, std::shared_ptr<const std::string> bytes)
    : name_(std::move(name)),
      revision_(revision),
      size_(bytes->size()),
      value_form_(kMissing),
      bytes_form_(kReady),
      bytes_(std::move(bytes)) {}

const json::Value& Version::value() const {
  Once(value_form_, [this] {
    base::Result<json::Value> parsed = json::Parse(*bytes_);
    if (parsed) {
      value_ = *std::move(parsed);
    } else {
      base::LogError("stored object cannot be read",
                     {{"name", name_}, {"error", parsed.error().ToString()}});
    }
  });
  return value_;
}

const std::shared_ptr<const std::string>& Version::bytes() const {
  Once(bytes_form_, [this] { bytes_ = std::make_shared<const std::string>(json::Write(value_)); });
  return bytes_;
}

}  // namespace coppice::store
