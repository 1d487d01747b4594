#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "http/client/client.h"

// One exchange as a libcurl easy handle. For .cpp files of this folder only.
namespace coppice::http {

// Once per process, before any other use of libcurl.
void InitializeCurl();

class CurlExchange {
 public:
  CurlExchange(const ClientOptions& options, ClientRequest request);
  virtual ~CurlExchange();
  CurlExchange(const CurlExchange&) = delete;

  CURL* handle() const { return handle_; }
  // The I/O thread has finished with it. Called once.
  void Complete(CURLcode code);
  void Cancel();

 protected:
  virtual void OnHead(int status, Headers headers) = 0;
  // False aborts the exchange.
  virtual bool OnBody(std::string_view bytes) = 0;
  virtual void OnEnd(base::Status status, bool sent) = 0;

 private:
  void SetRequest();
  void SetTls();
  void SetConnection();
  void OnHeaderLine(std::string_view line);
  void DeliverHead();
  base::Error ErrorOf(CURLcode code) const;
  static int BeforeSend(void* self, char*, char*, int, int);
  static size_t HeaderCallback(char* data, size_t size, size_t count, void* self);
  static size_t BodyCallback(char* data, size_t size, size_t count, void* self);

  const ClientOptions& options_;
  const ClientRequest request_;
  CURL* handle_;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  char error_text_[CURL_ERROR_SIZE] = {};

  bool refused_ = false;  // By may_send.
  int status_ = 0;
  Headers response_headers_;
  bool head_delivered_ = false;
};

}  // namespace coppice::http
