// SPDX-License-Identifier: MIT

import Foundation

/// Texts that are kept beside the tests, so that a change of them shows in review.
package enum Snapshot {
  /// Why a text does not pass: it is another one, or it was only now recorded.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Compares with the recorded text in the folder `Snapshots` beside the caller's file.
  ///
  /// With `RECORD_SNAPSHOTS` in the environment it records, and fails so that a recording run never
  /// passes for a test.
  package static func check(
    _ text: String,
    _ name: String,
    beside source: String = #filePath
  ) throws {
    let file = file(name, beside: source)
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
      throw Failure(description: "recorded \(name)")
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let difference = text.split(separator: "\n", omittingEmptySubsequences: false)
      .difference(from: recorded.split(separator: "\n", omittingEmptySubsequences: false))
    guard !difference.isEmpty else { return }
    let lines = difference.map { change in
      switch change {
      case .insert(let line, let text, _): "\(line + 1) + \(text)"
      case .remove(let line, let text, _): "\(line + 1) - \(text)"
      }
    }
    let title = "\(name) has changed; RECORD_SNAPSHOTS=1 swift test records it"
    throw Failure(description: ([title] + lines).joined(separator: "\n"))
  }

  /// Returns the recorded text, for a test that compares a part of it.
  package static func recorded(
    _ name: String,
    beside source: String = #filePath
  ) throws -> String {
    try String(contentsOf: file(name, beside: source), encoding: .utf8)
  }

  private static func file(_ name: String, beside source: String) -> URL {
    URL(filePath: source).deletingLastPathComponent().appending(path: "Snapshots/\(name)")
  }
}
