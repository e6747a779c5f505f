// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import TestSupport
import Testing

/// `openssl s_server` on a free port; stops with the value.
final class OpenSSLServer {
  let port: Int
  private let process = Process()

  init(_ identity: Certificates.Identity, options: [String]) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["openssl", "s_server", "-accept", "127.0.0.1:0"]
      + ["-cert", identity.certificateFile, "-key", identity.keyFile] + options
    // The settings of the system may forbid old versions.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["OPENSSL_CONF": "/dev/null"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.runInTime()
    // Prints `ACCEPT 127.0.0.1:PORT` when it listens.
    var text = ""
    while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "openssl s_server did not start")
      text += String(decoding: data, as: UTF8.self)
    }
    port = try #require(text.split { !$0.isNumber }.last.flatMap { Int($0) })
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
