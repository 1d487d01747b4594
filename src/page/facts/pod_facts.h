#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/value.h"
#include "page/facts/amounts.h"

namespace coppice::page {

enum class PodState : uint8_t {
  kGated,     // A scheduling gate holds it back.
  kPending,   // No node.
  kStarting,  // On a node, not Ready.
  kReady,
  kEnding,  // Being deleted.
  kDone,
  kFailed,
};
// "gated", "pending", …
std::string_view ToString(PodState state);

// What the page keeps of a pod; there may be many. Times are seconds since 1970, 0 if unknown.
struct PodFacts {
  std::string workload;  // WorkloadId of the pod alone, as text.
  std::string node;
  std::string group;        // KAI PodGroup.
  std::string gang;         // PodGang.
  std::string queue;        // By label, in the terms of its scheduler.
  std::string local_queue;  // Kueue's LocalQueue.
  std::string scheduler;
  std::string reason;   // Why it waits or does not start, in one word; "" if nothing says so.
  std::string message;  // The same in a sentence.
  std::vector<std::string> gpu_groups;  // The shared GPUs that it has.
  Amounts asks;                         // Without shared GPUs.
  double portion = 0;                   // Of each shared GPU; 0 if it asks for memory.
  double share_mib = 0;                 // Memory of each shared GPU, instead of a portion.
  int shared = 0;                       // Number of shared GPUs.
  int64_t created = 0;
  int32_t priority = 0;
  PodState state = PodState::kPending;
  bool reserves = false;  // Holds a GPU for those who share it.

  bool Placed() const { return !node.empty(); }
  bool Active() const { return state < PodState::kDone; }
  bool Waits() const { return state == PodState::kGated || state == PodState::kPending; }
  double Gpus() const { return asks.gpus + portion * shared; }
  friend bool operator==(const PodFacts&, const PodFacts&) = default;
};

PodFacts ReadPodFacts(const json::Value& pod);

// Seconds since 1970; 0 if it is no time.
int64_t SecondsOf(std::string_view time);

}  // namespace coppice::page
