// SPDX-License-Identifier: MIT

import Foundation

/// The `openssl` program, which creates the certificates of tests.
package enum OpenSSL {
  package struct Failure: Error {
    let command: String
    let errors: String
  }

  /// The arguments for a new key in a file.
  package static func newKey(_ file: String) -> [String] {
    ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file]
  }

  /// Runs `openssl` and returns its output.
  @discardableResult
  package static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.runInTime()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        command: arguments.joined(separator: " "),
        errors: String(decoding: complaints, as: UTF8.self)
      )
    }
    return String(decoding: text, as: UTF8.self)
  }
}
