#include "http/crypto/openssl.h"

#include <vector>

namespace coppice::http::openssl {

base::Error LastError(std::string_view operation) {
  char text[256] = "unknown error";
  if (const unsigned long code = ERR_get_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof text);
  }
  ERR_clear_error();
  return base::InvalidArgument(text).During(operation);
}

BioPtr ReadOnly(std::string_view bytes) {
  return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

base::Result<PKeyPtr> GenerateP256() {
  PKeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return LastError("generating a key");
  return key;
}

base::Result<PKeyPtr> PrivateKeyFromPem(std::string_view pem) {
  const BioPtr bio = ReadOnly(pem);
  // No passphrase is ever asked for on the terminal.
  auto refuse = [](char*, int, int, void*) { return 0; };
  PKeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse, nullptr));
  if (!key) return LastError("reading a private key");
  return key;
}

base::Result<std::string> PrivateKeyToPem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return LastError("writing a private key");
  }
  return Contents(bio.get());
}

base::Result<X509Ptr> CertificateFromPem(std::string_view pem) {
  const BioPtr bio = ReadOnly(pem);
  X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!certificate) return LastError("reading a certificate");
  return certificate;
}

std::vector<std::string> NameValues(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size >= 0) values.emplace_back(reinterpret_cast<char*>(text), static_cast<size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

}  // namespace coppice::http::openssl
