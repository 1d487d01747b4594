#include "engine/gpus/rest_prices.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace coppice::engine {
namespace {

constexpr int kSteps = 100;
constexpr double kFirstStep = 0.15;
// The usual fill level of a GPU.
constexpr double kUsualFill = 0.96;

}  // namespace

// The value of each rest and which share to place there first; 0: none, one hundredth stays unused.
struct RestPrices::Plan {
  std::vector<int> shares;  // Shares with waiting pods, ascending.
  std::array<double, kWhole + 1> worth{};
  std::array<int, kWhole + 1> first{};

  // How many of each share fit if all rests are filled by this plan.
  std::array<double, kWhole + 1> Use(const Counts& rests) const {
    std::array<double, kWhole + 1> left{}, use{};
    for (int rest = 1; rest < kWhole; ++rest) left[rest] = static_cast<double>(rests[rest]);
    if (worth[kWhole] > kUsualFill) left[kWhole] = static_cast<double>(rests[kWhole]);
    for (int rest = kWhole; rest > 0; --rest) {
      use[first[rest]] += left[rest];
      left[rest - std::max(first[rest], 1)] += left[rest];
    }
    return use;
  }
};

void RestPrices::Fill(Plan& plan) const {
  for (int rest = 1; rest <= kWhole; ++rest) {
    plan.worth[rest] = plan.worth[rest - 1];
    plan.first[rest] = 0;
    for (int share : plan.shares) {
      if (share > rest) break;
      const double worth = plan.worth[rest - share] + price_[share] * share / kWhole;
      if (worth <= plan.worth[rest]) continue;
      plan.worth[rest] = worth;
      plan.first[rest] = share;
    }
  }
}

void RestPrices::Update(const Counts& waiting, const Counts& rests) {
  Plan plan;
  for (int share = 1; share < kWhole; ++share) {
    if (waiting[share] > 0) plan.shares.push_back(share);
  }
  std::array<double, kWhole + 1> mean{};
  for (int step = 0; step < kSteps && !plan.shares.empty(); ++step) {
    Fill(plan);
    const auto use = plan.Use(rests);
    const double length = kFirstStep / std::sqrt(step + 1.0);
    for (int share : plan.shares) {
      const auto wanted = static_cast<double>(waiting[share]);
      const double excess = (use[share] - wanted) / (use[share] + wanted + 1);
      price_[share] = std::clamp(price_[share] - length * excess, 0.0, 1.0);
      if (step >= kSteps / 2) mean[share] += price_[share] / (kSteps - kSteps / 2);
    }
  }
  for (int share : plan.shares) price_[share] = mean[share];
  Fill(plan);
  for (int rest = 1; rest < kWhole; ++rest) {
    waste_[rest] = plan.shares.empty() ? 0 : Coarse(rest / 100.0 - plan.worth[rest]);
  }
}

}  // namespace coppice::engine
