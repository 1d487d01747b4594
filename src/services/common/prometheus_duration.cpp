#include "services/common/prometheus_duration.h"

#include <charconv>

namespace coppice::services {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Unit {
  std::string_view name;
  base::Duration size;
};

constexpr Unit kUnits[] = {{"y", hours(24 * 365)}, {"w", hours(24 * 7)},    {"d", hours(24)},
                           {"h", hours(1)},        {"ms", milliseconds(1)}, {"m", minutes(1)},
                           {"s", seconds(1)}};

}  // namespace

std::optional<base::Duration> ParsePrometheusDuration(std::string_view text) {
  if (text == "0") return base::Duration::zero();
  if (text.empty()) return std::nullopt;
  base::Duration sum{}, smallest = base::Duration::max();
  while (!text.empty()) {
    int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 0 || count > 1'000'000'000) return std::nullopt;
    text.remove_prefix(end - text.data());
    const Unit* found = nullptr;
    for (const Unit& unit : kUnits) {
      if (!found && text.starts_with(unit.name)) found = &unit;
    }
    if (!found || found->size >= smallest) return std::nullopt;
    if (found->size > base::Duration::max() / (count + 1)) return std::nullopt;
    smallest = found->size;
    sum += found->size * count;
    text.remove_prefix(found->name.size());
  }
  return sum;
}

}  // namespace coppice::services
