#include "kube/transport/object_decoder.h"

#include "json/parse.h"

namespace coppice::kube {

ObjectDecoder::ObjectDecoder(bool drop_managed_fields, bool share_equal_parts)
    : drop_managed_fields_(drop_managed_fields),
      pool_(share_equal_parts ? std::make_unique<json::PartPool>() : nullptr) {}

base::Result<json::Value> ObjectDecoder::Decode(std::string_view text, int root_depth) {
  if (!pool_) return json::Parse(text, {.drop_managed_fields = drop_managed_fields_});
  std::lock_guard lock(mutex_);
  return json::ParseShared(text, *pool_,
                           {.root_depth = root_depth, .drop_managed_fields = drop_managed_fields_});
}

std::shared_ptr<ObjectDecoder> ObjectDecoders::For(const api::Resource& resource) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<ObjectDecoder>& decoder = decoders_[resource.QualifiedName()];
  if (!decoder) {
    decoder = std::make_shared<ObjectDecoder>(drop_managed_fields_, share_equal_parts_);
  }
  return decoder;
}

}  // namespace coppice::kube
