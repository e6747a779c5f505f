// SPDX-License-Identifier: MIT

import Foundation
package import OppiText
package import OppiWire

/// A session and its trace, as a server listed them during a recording.
package struct RecordedTrace: Sendable, CustomStringConvertible {
  /// The recording up to that time.
  package let recording: Recording
  package let session: Session
  package let trace: JSONValue
  package let time: Timestamp

  package var description: String { "\(recording.name) \(time.iso8601)" }

  package static let all: [RecordedTrace] = Recording.all.flatMap { recording in
    (try? traces(in: recording)) ?? []
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Traces")

  private static func traces(in recording: Recording) throws -> [RecordedTrace] {
    let file = folder.appending(path: "\(recording.name).jsonl")
    let text = try String(contentsOf: file, encoding: .utf8)
    return try text.split(separator: "\n").compactMap { line in
      let row = try JSONValue(parsing: Array(line.utf8))
      guard let session = Session(json: row["session"]) else { return nil }
      let time = recording.time(atMilliseconds: row["ms"].int ?? 0)
      return RecordedTrace(
        recording: recording.until(time),
        session: session,
        trace: row["trace"],
        time: time
      )
    }
  }
}
