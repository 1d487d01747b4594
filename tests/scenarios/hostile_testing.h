#pragma once

#include <random>
#include <string>
#include <vector>

#include "kube/client/client.h"

namespace coppice {

// A user who means harm, and who owns a namespace, a queue and a node: writes objects of every kind
// that our components read, valid but for a few fields that get values nobody expects, changes them
// and their status later, and deletes some. What the API server refuses is refused. The same seed
// does the same.
class HostileUser {
 public:
  static constexpr const char* kNamespace = "mallory";

  HostileUser(kube::Client& client, uint64_t seed) : client_(client), random_(seed) {}

  // Tries until one is taken, a few times.
  void Create();
  // Labels, annotations, owners, the spec or the status of something that was taken; or deletes it.
  void Change();
  // What was taken, to show when something goes wrong: one object a line.
  std::string Taken() const;

 private:
  struct Made {
    api::Resource resource;
    api::ObjectKey key;
    std::string uid;
    std::string text;
  };

  size_t Below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
  }
  bool Chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  json::Value AnyValue();
  std::string AnyText();
  std::string AnyLabel();
  bool TryCreate();
  bool TryChange();
  json::Value AnyOwner();
  void Spoil(json::Value& object);
  bool SpoilStatus(json::Value& object);
  void SpoilMetadata(json::Value& object);
  void SpoilNode(json::Value& parent, int depth);

  kube::Client& client_;
  std::mt19937_64 random_;
  int count_ = 0;
  std::vector<Made> made_;
};

}  // namespace coppice
