#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::base {

// A Kubernetes resource quantity ("100m", "1.5Gi", "2e3"), exact to one billionth. Rounding is
// away from zero, as in Kubernetes; values beyond 2^63-1 are capped there.
class Quantity {
 public:
  // The family of suffixes a quantity was written with, which ToString keeps.
  enum class Format { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity() = default;
  static Quantity FromMilli(int64_t milli) {
    return {static_cast<__int128>(milli) * 1'000'000, Format::kDecimalSI};
  }
  static Quantity FromUnits(int64_t units, Format format = Format::kDecimalSI) {
    return {static_cast<__int128>(units) * 1'000'000'000, format};
  }
  static Result<Quantity> Parse(std::string_view text);

  // In whole units, rounded up.
  int64_t Value() const;
  // In thousandths, rounded up.
  int64_t MilliValue() const;
  double ToDouble() const { return static_cast<double>(nano_) / 1e9; }
  bool IsZero() const { return nano_ == 0; }
  int Sign() const { return nano_ < 0 ? -1 : nano_ > 0; }

  // Kubernetes' canonical form: no fractions where a smaller suffix avoids them.
  std::string ToString() const;

  Quantity& operator+=(const Quantity& other) {
    nano_ += other.nano_;
    return *this;
  }
  Quantity& operator-=(const Quantity& other) {
    nano_ -= other.nano_;
    return *this;
  }
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  // Compares values; the format does not matter.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nano_ <=> b.nano_;
  }

 private:
  Quantity(__int128 nano, Format format) : nano_(nano), format_(format) {}

  __int128 nano_ = 0;
  Format format_ = Format::kDecimalSI;
};

}  // namespace coppice::base
