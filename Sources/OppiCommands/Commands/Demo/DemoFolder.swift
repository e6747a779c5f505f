// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiSystem
import OppiTransport

/// The demo's own place in the file system.
enum DemoFolder {
  /// Runs the body with a fresh private folder, which is removed whatever happens.
  static func with<Result>(
    in context: Context,
    _ body: (_ folder: String) async throws -> Result
  ) async throws -> Result {
    let parent = context.nonEmpty("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/oppi-demo.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError.cannotCreate(path: parent, SystemError("mkdtemp"))
    }
    let folder = template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    defer { SystemDisk().removeTree(folder) }
    return try await body(folder)
  }

  /// Makes a self-signed certificate with the system's openssl; `nil` where it has none, and then
  /// the demo goes without TLS.
  static func certificate(in folder: String, on loop: EventLoop) async -> TLSContext? {
    let (certificate, key) = ("\(folder)/server.crt", "\(folder)/server.key")
    var command = ChildProcess(arguments: [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
      "-batch",
    ])
    command.discardsErrors = true
    _ = try? await command.run(on: loop, until: loop.now + .seconds(5))
    return try? TLSContext(certificateFile: certificate, keyFile: key)
  }
}
