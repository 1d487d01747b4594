#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/result.h"
#include "json/value.h"

namespace coppice::api {

// A number or a text such as "25%", as in Kubernetes' IntOrString.
class IntOrString {
 public:
  IntOrString() = default;
  IntOrString(int64_t number) : held_(number) {}             // NOLINT: implicit by design
  IntOrString(std::string text) : held_(std::move(text)) {}  // NOLINT

  static base::Result<IntOrString> FromJson(const json::Value& value);
  json::Value ToJson() const;

  bool IsInt() const { return held_.index() == 0; }
  // The number, or the percentage of `total`; fractions round up or down as asked.
  base::Result<int64_t> Scaled(int64_t total, bool round_up) const;

  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  std::variant<int64_t, std::string> held_ = int64_t{0};
};

}  // namespace coppice::api
