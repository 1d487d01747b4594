#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace coppice::engine {

// Rounds so that sums of a few thousand such values are exact, and so the same in any order.
inline double Coarse(double value) { return std::round(value * (1 << 30)) / (1 << 30); }

// What the free rest of a shared GPU is worth, given the waiting shares and the existing rests.
//
// Prices are the duals of the linear program that assigns as much as possible of the rests and
// whole GPUs to the waiting shares: a share of which more wait than fit is worth its size, a share
// with plenty of rests is worth less, and a rest is worth the best shares that fit into it. A whole
// GPU has other uses too, and is given to shares only if they fill nearly all of it. Solved by
// subgradient steps starting from the last solution, precisely enough for a score.
class RestPrices {
 public:
  static constexpr int kWhole = 100;  // Sizes are hundredths of a GPU.
  using Counts = std::array<int64_t, kWhole + 1>;

  RestPrices() { price_.fill(1); }

  // `waiting`: pods by share; `rests`: GPUs by their free part.
  void Update(const Counts& waiting, const Counts& rests);

  // The part of the rest, in GPUs, that will stay unused. Zero for a whole GPU.
  double Waste(int rest) const { return waste_[rest]; }

 private:
  struct Plan;
  void Fill(Plan& plan) const;

  std::array<double, kWhole + 1> price_{};  // By share, per unit of its size.
  std::array<double, kWhole + 1> waste_{};
};

}  // namespace coppice::engine
