// SPDX-License-Identifier: MIT

package import OppiTransport

extension TLSContext {
  /// Makes the server's end of TLS with a certificate of its own for `localhost`, signed by itself.
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
