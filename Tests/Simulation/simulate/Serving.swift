// SPDX-License-Identifier: MIT

import FakeServer
import Glibc
import OppiTransport
import OppiWire
import TestSupport

/// Prints an invite to a real server of a dialect, and serves until it is killed.
///
/// - Parameters:
///   - name: The name of the dialect.
///   - isSecure: Whether it has a certificate, which the invite pins.
/// - Throws: If the server cannot start.
func serve(_ name: String, overTLS isSecure: Bool) async throws {
  guard let dialect = Dialect.named.first(where: { $0.name == name })?.dialect else {
    print("no such dialect; known: \(Dialect.named.map(\.name).joined(separator: ", "))")
    exit(64)
  }
  var configuration = FakeServer.Configuration()
  configuration.dialect = dialect
  configuration.tls = isSecure ? try .selfSigned() : nil
  configuration.certificatePin = configuration.tls?.certificatePin
  configuration.acceptsPlainHTTP = !isSecure
  let server = try FakeServer.start(configuration)
  print(try server.makeInvite().url)
  fflush(nil)
  while true { try await Task.sleep(for: .seconds(3600)) }
}
