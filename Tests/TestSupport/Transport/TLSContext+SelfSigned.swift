// SPDX-License-Identifier: MIT

package import OppiTransport

extension TLSContext {
  /// Creates a server context with a new self-signed certificate for `localhost`.
  package static func selfSigned() throws -> TLSContext {
    let scratch = try Scratch()
    let (certificate, key) = (scratch.path("certificate.pem"), scratch.path("key.pem"))
    try OpenSSL.run(
      ["req", "-x509", "-batch", "-days", "1", "-subj", "/CN=localhost", "-out", certificate]
        + OpenSSL.newKey(key)
    )
    return try TLSContext(certificateFile: certificate, keyFile: key)
  }
}
