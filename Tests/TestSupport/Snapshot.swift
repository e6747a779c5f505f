// SPDX-License-Identifier: MIT

import Foundation

/// Texts that are recorded beside the tests, so that a change shows in review.
package enum Snapshot {
  /// The text differs from its recording, or was recorded by this run.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Whether texts are to be recorded, by `RECORD_SNAPSHOTS` in the environment.
  package static var isRecording: Bool {
    ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"]?.isEmpty == false
  }

  /// Compares a text with its recording in the folder `Snapshots` beside the caller's file.
  ///
  /// To record the text, it writes it and fails, so that a recording run never passes.
  package static func check(
    _ text: String,
    _ name: String,
    beside source: String = #filePath
  ) throws {
    let file = file(name, beside: source)
    if isRecording {
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

  /// Returns a recorded text, for a test of a part of it.
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
