#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

// Owning pointers for OpenSSL. For .cpp files of this folder only.
namespace coppice::http::openssl {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free>>;
using PKeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using SignaturePtr = std::unique_ptr<ECDSA_SIG, Deleter<ECDSA_SIG_free>>;

// The oldest queued OpenSSL error as ours; the queue is emptied.
base::Error LastError(std::string_view operation);

BioPtr ReadOnly(std::string_view bytes);
std::string Contents(BIO* bio);

base::Result<PKeyPtr> GenerateP256();
base::Result<PKeyPtr> PrivateKeyFromPem(std::string_view pem);
base::Result<std::string> PrivateKeyToPem(EVP_PKEY* key);
base::Result<X509Ptr> CertificateFromPem(std::string_view pem);

// The values of a name's attribute (NID_commonName, NID_organizationName), as UTF-8.
std::vector<std::string> NameValues(const X509_NAME* name, int nid);

}  // namespace coppice::http::openssl
