#pragma once

#include <cstdint>

namespace coppice::engine {

// CPU (milli), memory (bytes), GPU (thousandths): the resources that queues are divided and ordered
// by. Integers if they are sums of pods; fair shares and requests by GPU memory can be fractional.
struct Quantities {
  double value[3] = {0, 0, 0};

  double& operator[](int i) { return value[i]; }
  double operator[](int i) const { return value[i]; }
  Quantities& operator+=(const Quantities& o) {
    for (int i = 0; i < 3; ++i) value[i] += o.value[i];
    return *this;
  }
  Quantities& operator-=(const Quantities& o) {
    for (int i = 0; i < 3; ++i) value[i] -= o.value[i];
    return *this;
  }
  friend Quantities operator+(Quantities a, const Quantities& b) { return a += b; }
  friend Quantities operator-(Quantities a, const Quantities& b) { return a -= b; }
};

// The same as exact sums over pods.
struct Sums {
  int64_t value[3] = {0, 0, 0};

  int64_t& operator[](int i) { return value[i]; }
  int64_t operator[](int i) const { return value[i]; }
  void Add(const Sums& o, int sign) {
    for (int i = 0; i < 3; ++i) value[i] += sign * o.value[i];
  }
  Quantities ToQuantities() const {
    return {{static_cast<double>(value[0]), static_cast<double>(value[1]),
             static_cast<double>(value[2])}};
  }
};

inline constexpr double kUnlimited = -1;

// `a` ≤ `b` in every resource, where -1 in either is infinite.
bool WithinAll(const Quantities& a, const Quantities& b);

}  // namespace coppice::engine
