#include "operator/common/adopted_hashes.h"

#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators {
namespace {

// Keys of the JSON in the annotation.
constexpr std::string_view kSet = "set";
constexpr std::string_view kCliques = "cliques";

std::pair<std::string, std::string> ReadPair(const json::Value& value) {
  if (!value.IsArray() || value.size() != 2) return {};
  return {value.At(0).ToString(), value.At(1).ToString()};
}

json::Value WritePair(const std::pair<std::string, std::string>& pair) {
  return json::Value::Array({pair.first, pair.second});
}

}  // namespace

AdoptedHashes AdoptedHashes::Of(const json::Value& set) {
  AdoptedHashes hashes;
  const std::string_view text = kube::Annotation(set, labels::kAdoptedHashes);
  if (text.empty()) return hashes;
  const auto document = json::Parse(text);
  // An invalid annotation adopts nothing.
  if (!document) return hashes;
  hashes.set_ = ReadPair((*document)[kSet]);
  for (const json::Member& clique : (*document)[kCliques].Members()) {
    hashes.cliques_[std::string(clique.name())] = ReadPair(clique.value);
  }
  return hashes;
}

std::string AdoptedHashes::ForClique(const std::string& clique, const std::string& ours) const {
  const auto found = cliques_.find(clique);
  return found == cliques_.end() ? ours : Pick(found->second, ours);
}

void AdoptedHashes::AdoptSet(std::string ours, std::string found) {
  set_ = {std::move(ours), std::move(found)};
}

void AdoptedHashes::AdoptClique(const std::string& clique, std::string ours, std::string found) {
  cliques_[clique] = {std::move(ours), std::move(found)};
}

std::string AdoptedHashes::Text() const {
  json::Value cliques = json::Value::Object();
  for (const auto& [name, pair] : cliques_) cliques.Set(name, WritePair(pair));
  return json::Write(
      json::Value::Object({{kSet, WritePair(set_)}, {kCliques, std::move(cliques)}}));
}

}  // namespace coppice::operators
