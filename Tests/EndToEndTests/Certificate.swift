// SPDX-License-Identifier: MIT

import Foundation
import OppiTransport
import TestSupport
import Testing

/// A self-signed certificate, made by the system's openssl for the run.
struct Certificate {
  static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

  let context: TLSContext

  init() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "oppi-tls-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (certificate, key) = (
      folder.appending(path: "c.pem").path, folder.appending(path: "k.pem").path
    )
    let outcome = try await Program.run(
      [
        "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=localhost",
        "-keyout", key, "-out", certificate, "-batch",
      ],
      input: nil,
      environment: [:],
      in: folder
    )
    try #require(outcome.status == 0, "\(outcome)")
    context = try TLSContext(certificateFile: certificate, keyFile: key)
  }
}
