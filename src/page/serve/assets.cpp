#include "page/serve/assets.h"

namespace coppice::page {

const Asset* FindAsset(std::string_view path) {
  for (const Asset& asset : AllAssets()) {
    if (asset.path == path) return &asset;
  }
  return nullptr;
}

}  // namespace coppice::page
