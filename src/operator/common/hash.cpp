#include "operator/common/hash.h"

#include <fmt/format.h>

#include <cstdint>

#include "api/edit/core.h"
#include "api/key/grove.h"
#include "json/write.h"
#include "operator/common/adopted_hashes.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::PodCliqueTemplate;

class Fnv1a {
 public:
  void Add(std::string_view text) {
    for (const unsigned char c : text) state_ = (state_ ^ c) * 0x100000001b3ULL;
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325ULL;
};

std::string CanonicalText(const PodCliqueTemplate& clique, const PodCliqueSetTemplate& set) {
  json::Value pod_spec = clique.spec.podSpec;
  const edit::core::PodSpec edit(pod_spec);
  edit.clear_priorityClassName();
  if (set.priorityClassName && !set.priorityClassName->empty()) {
    edit.set_priorityClassName(*set.priorityClassName);
  }
  using Key = key::grove::PodCliqueTemplate;
  return json::Write(json::Value::Object({{Key::labels, ToObject(clique.labels)},
                                          {Key::annotations, ToObject(clique.annotations)},
                                          {Key::spec, std::move(pod_spec)}}));
}

// Maps digits to letters that cannot form words, like the hashes in Kubernetes names.
std::string Encode(uint64_t hash) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text = fmt::format("{}", hash);
  for (char& c : text) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return text;
}

}  // namespace

std::string OwnPodTemplateHash(const PodCliqueTemplate& clique, const PodCliqueSetTemplate& set) {
  Fnv1a hash;
  hash.Add(CanonicalText(clique, set));
  return Encode(hash.value());
}

std::string OwnGenerationHash(const PodCliqueSetTemplate& set) {
  Fnv1a hash;
  for (const PodCliqueTemplate& clique : set.cliques) hash.Add(CanonicalText(clique, set));
  return Encode(hash.value());
}

std::string PodTemplateHash(const PodCliqueTemplate& clique, const api::grove::PodCliqueSet& set) {
  return AdoptedHashes::Of(set.object)
      .ForClique(clique.name, OwnPodTemplateHash(clique, set.spec.template_));
}

std::string GenerationHash(const api::grove::PodCliqueSet& set) {
  return AdoptedHashes::Of(set.object).ForSet(OwnGenerationHash(set.spec.template_));
}

}  // namespace coppice::operators
