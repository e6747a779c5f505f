// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiTransport

enum DemoFolder {
  /// Runs the body with a new private folder, and removes the folder afterwards.
  static func with<Result>(
    in context: Context,
    _ body: (_ folder: String) async throws -> Result
  ) async throws -> Result {
    let folder = try TemporaryFolder(named: "oppi-demo", environment: context.environment)
    defer { folder.remove() }
    return try await body(folder.path)
  }

  /// Creates a self-signed certificate with openssl; `nil` without openssl, and the demo then uses
  /// no TLS.
  static func certificate(in folder: String, on loop: EventLoop) async -> TLSContext? {
    let (certificate, key) = ("\(folder)/server.crt", "\(folder)/server.key")
    var command = ChildProcess(arguments: [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
      "-batch",
    ])
    command.errors = .discarded
    _ = try? await command.run(on: loop, until: loop.now + .seconds(5))
    return try? TLSContext(certificateFile: certificate, keyFile: key)
  }
}
