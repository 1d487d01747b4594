#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/input.h"
#include "engine/state/names.h"

namespace coppice::engine {

// CPU (milli), memory (bytes), GPU (thousandths): what queues are divided and ordered by. Integers
// wherever they are sums of pods; fair shares and requests by GPU memory can have fractions.
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

// What the shares of a queue are computed from and into (S-67); GPUs in thousandths, unlimited
// stays -1.
struct QueueAmounts {
  Quantities deserved, limit, weight, usage;
  Sums allocated, allocated_non_preemptible;
  Quantities request, fair_share;
};

struct Queue : QueueAmounts {
  NameId name = 0;
  bool exists = false;
  bool reachable = false;  // All ancestors exist.
  QueueId parent = kNone;
  int priority = 100;
  base::Time creation{};
  std::vector<QueueId> children;  // By name.
  int32_t name_rank = 0;
  std::unique_ptr<const QueueSpec> spec;

  bool leaf() const { return children.empty(); }
};

}  // namespace coppice::engine
