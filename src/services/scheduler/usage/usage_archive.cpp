#include "services/scheduler/usage/usage_archive.h"

#include <algorithm>
#include <cmath>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/log.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/cache/apply.h"
#include "kube/object.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;
using Amounts = UsageHistory::Amounts;
using Sample = UsageHistory::Sample;

constexpr base::Duration kSaveEvery = std::chrono::minutes(5);
constexpr base::Duration kAskAgain = std::chrono::seconds(1);
constexpr std::string_view kKey = "history.json";
// Of a sample in that file.
constexpr std::string_view kTime = "time";
constexpr std::string_view kCapacity = "capacity";
constexpr std::string_view kQueues = "queues";
// A ConfigMap holds a megabyte; a queue's amounts take some thirty bytes per sample.
constexpr size_t kMostSamples = 256;
constexpr size_t kMostAmounts = 20'000;

int64_t SecondsOf(base::Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

void Add(Amounts& sum, const Amounts& more) {
  sum.cpu += more.cpu;
  sum.memory += more.memory;
  sum.gpu += more.gpu;
}

// Thousandths of cores, megabytes, thousandths of GPUs: as whole numbers.
Value Write(const Amounts& amounts) {
  return Value::Array({static_cast<int64_t>(std::llround(amounts.cpu)),
                       static_cast<int64_t>(std::llround(amounts.memory / 1e6)),
                       static_cast<int64_t>(std::llround(amounts.gpu * 1000))});
}

Amounts Read(const Value& list) {
  return {static_cast<double>(list.At(0).AsInt()), static_cast<double>(list.At(1).AsInt()) * 1e6,
          static_cast<double>(list.At(2).AsInt()) / 1000};
}

Value Write(const Sample& sample) {
  Value queues = Value::Object();
  for (const auto& [queue, amounts] : sample.queues) {
    if (amounts.cpu > 0 || amounts.memory > 0 || amounts.gpu > 0) queues.Set(queue, Write(amounts));
  }
  return Value::Object({{kTime, SecondsOf(sample.time)},
                        {kCapacity, Write(sample.capacity)},
                        {kQueues, std::move(queues)}});
}

size_t MostSamples(const std::vector<Sample>& samples) {
  size_t queues = 1;
  for (const Sample& sample : samples) queues = std::max(queues, sample.queues.size());
  return std::clamp<size_t>(kMostAmounts / queues, 1, kMostSamples);
}

}  // namespace

Value WriteSamples(const std::vector<Sample>& samples, size_t most) {
  const size_t step = (samples.size() + most - 1) / std::max<size_t>(most, 1);
  Value list = Value::Array();
  for (size_t i = 0; i < samples.size(); i += step) {
    Sample sum = samples[i];
    for (size_t j = i + 1; j < std::min(i + step, samples.size()); ++j) {
      sum.time = samples[j].time;
      Add(sum.capacity, samples[j].capacity);
      for (const auto& [queue, amounts] : samples[j].queues) Add(sum.queues[queue], amounts);
    }
    list.Append(Write(sum));
  }
  return list;
}

base::Result<std::vector<Sample>> ReadSamples(const Value& document) {
  if (!document.IsArray()) return base::InvalidArgument("the history is no list");
  std::vector<Sample> samples;
  for (const Value& item : document.Items()) {
    if (!item[kTime].IsInt() || item[kCapacity].size() != 3) {
      return base::InvalidArgument("a sample lacks its time or capacity");
    }
    Sample sample{.time = base::Time(std::chrono::seconds(item[kTime].AsInt())),
                  .capacity = Read(item[kCapacity])};
    for (const json::Member& queue : item[kQueues].Members()) {
      sample.queues[std::string(queue.name())] = Read(queue.value);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

UsageArchive::UsageArchive(kube::Runtime runtime, api::ObjectKey config_map,
                           std::shared_ptr<UsageHistory> history)
    : runtime_(runtime),
      key_(std::move(config_map)),
      history_(std::move(history)),
      scope_(runtime.executor) {}

void UsageArchive::Start(std::function<void()> on_loaded) {
  if (!Load()) {
    scope_.PostAfter(kAskAgain, [this, on_loaded] { Start(on_loaded); });
    return;
  }
  loaded_ = true;
  on_loaded();
  SaveLater();
}

bool UsageArchive::Load() {
  const auto kept = runtime_.client.Get(api::kConfigMaps, key_);
  if (kept.Is(base::ErrorCode::kNotFound)) return true;
  if (!kept && !kept.Is(base::ErrorCode::kForbidden)) return false;
  base::Result<std::vector<Sample>> samples =
      kept ? base::Result<std::vector<Sample>>(std::vector<Sample>()) : kept.error();
  if (kept) {
    const auto document = json::Parse(view::core::ConfigMap(*kept).data()[kKey]);
    samples =
        document ? ReadSamples(*document) : base::Result<std::vector<Sample>>(document.error());
  }
  if (!samples) {
    base::LogWarn("cannot parse saved past usage",
                  {{"configmap", key_.ToString()}, {"error", samples.error().message()}});
    return true;
  }
  for (Sample& sample : *samples) history_->Record(std::move(sample));
  return true;
}

void UsageArchive::SaveLater() {
  scope_.PostAfter(kSaveEvery, [this] {
    if (const base::Status saved = Save(); !saved) {
      base::LogWarn("cannot save past usage",
                    {{"configmap", key_.ToString()}, {"error", saved.error().message()}});
    }
    SaveLater();
  });
}

base::Status UsageArchive::Save() {
  const std::vector<Sample> samples = history_->Samples();
  std::string text = json::Write(WriteSamples(samples, MostSamples(samples)));
  if (samples.empty() || text == saved_) return {};
  COPPICE_TRY(kube::CreateOrPatch(runtime_.client, api::kConfigMaps, key_, nullptr,
                                  [&](Value& object) -> base::Status {
                                    edit::core::ConfigMap(object).data().Set(kKey, text);
                                    return {};
                                  }));
  saved_ = std::move(text);
  return {};
}

}  // namespace coppice::services::scheduler
