#include "store/version.h"

#include "base/log.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::store {

Version::Version(std::string name, int64_t revision, json::Value value)
    : name_(std::move(name)), revision_(revision), value_(std::move(value)) {
  std::call_once(value_once_, [] {});
}

Version::Version(std::string name, int64_t revision, std::shared_ptr<const std::string> bytes)
    : name_(std::move(name)), revision_(revision), bytes_(std::move(bytes)) {
  std::call_once(bytes_once_, [] {});
}

const json::Value& Version::value() const {
  std::call_once(value_once_, [this] {
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
  std::call_once(bytes_once_,
                 [this] { bytes_ = std::make_shared<const std::string>(json::Write(value_)); });
  return bytes_;
}

}  // namespace coppice::store
