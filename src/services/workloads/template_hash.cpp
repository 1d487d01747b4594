#include "services/workloads/template_hash.h"

#include <cstdint>
#include <string_view>

#include "json/write.h"

namespace coppice::services::workloads {

std::string TemplateHash(view::core::PodTemplateSpec pod_template) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t hash = 14695981039346656037u;  // FNV-1a.
  for (const char c : json::Write(pod_template.Json())) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  std::string out;
  for (int i = 0; i < 10; ++i, hash /= kAlphabet.size()) out += kAlphabet[hash % kAlphabet.size()];
  return out;
}

}  // namespace coppice::services::workloads
