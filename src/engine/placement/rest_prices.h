#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace coppice::engine {

// Rounded so that sums of a few thousand such values are exact, and therefore the same in any
// order.
inline double Coarse(double value) { return std::round(value * (1 << 30)) / (1 << 30); }

// What the rest of a shared GPU is good for, given the shares that wait and the rests there are.
//
// Prices are the duals of the linear program that gives as much as possible of the rests and of the
// whole GPUs to the shares that wait: a share of which more wait than there is room for is worth
// its size, one for which rests abound is worth less, and a rest is worth the best shares that fit
// into it. A whole GPU has other uses, too, and is given to shares only where they fill nearly all
// of it. Solved by subgradient steps from the last solution on, well enough for a score.
class RestPrices {
 public:
  static constexpr int kWhole = 100;  // Sizes are hundredths of a GPU.
  using Counts = std::array<int64_t, kWhole + 1>;

  RestPrices() { price_.fill(1); }

  // `waiting`: pods by share; `rests`: GPUs by what is free of them.
  void Update(const Counts& waiting, const Counts& rests);

  // The part of the rest, in GPUs, that nobody will use. Nothing of a whole GPU.
  double Waste(int rest) const { return waste_[rest]; }

 private:
  struct Plan;
  void Fill(Plan& plan) const;

  std::array<double, kWhole + 1> price_{};  // By share, per unit of its size.
  std::array<double, kWhole + 1> waste_{};
};

}  // namespace coppice::engine
