#include "http/server/gzip_stream.h"

#include <zlib.h>

#include "base/check.h"

namespace coppice::http {

GzipStream::GzipStream() : stream_(std::make_unique<z_stream>()) {
  constexpr int kLevel = 1, kGzipWindow = 15 + 16, kMemory = 8;
  COPPICE_CHECK(deflateInit2(stream_.get(), kLevel, Z_DEFLATED, kGzipWindow, kMemory,
                             Z_DEFAULT_STRATEGY) == Z_OK);
}

GzipStream::~GzipStream() { deflateEnd(stream_.get()); }

std::string GzipStream::Add(std::string_view piece, bool last) {
  std::string out;
  std::string block(64 << 10, '\0');
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream_->avail_in = static_cast<uInt>(piece.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(block.data());
    stream_->avail_out = static_cast<uInt>(block.size());
    COPPICE_CHECK(deflate(stream_.get(), last ? Z_FINISH : Z_NO_FLUSH) != Z_STREAM_ERROR);
    out.append(block, 0, block.size() - stream_->avail_out);
  } while (stream_->avail_out == 0);
  return out;
}

}  // namespace coppice::http
