// SPDX-License-Identifier: MIT

import Foundation
package import OppiText
package import OppiWire

/// The messages that a server sent in one recording, with their times.
package struct Recording: Sendable, CustomStringConvertible {
  package struct Frame: Sendable {
    package var time: Timestamp
    package var message: ServerMessage

    package init(time: Timestamp, message: ServerMessage) {
      self.time = time
      self.message = message
    }
  }

  package let name: String
  package let frames: [Frame]
  private let start: Timestamp

  package var description: String { name }

  /// All recordings: numbered ones come from running servers, the others are handwritten.
  package static let all: [Recording] = names.compactMap { try? Recording($0) }

  package static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (files ?? []).filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()
  }()

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Recordings")

  package init(_ name: String) throws {
    self.name = name
    let rows = try Self.rows(of: name)
    let created = rows.lazy.compactMap { $0["frame"]["session"]["createdAt"].int }.first
    let start = created ?? 1_795_220_000_000
    self.start = Timestamp(milliseconds: start)
    frames = rows.compactMap { row in
      ServerMessage(json: row["frame"]).map {
        Frame(time: Timestamp(milliseconds: start + (row["ms"].int ?? 0)), message: $0)
      }
    }
  }

  private init(_ recording: Recording, until time: Timestamp) {
    name = recording.name
    start = recording.start
    frames = recording.frames.filter { $0.time <= time }
  }

  /// The recording up to a time.
  package func until(_ time: Timestamp) -> Recording { Recording(self, until: time) }

  package func time(atMilliseconds milliseconds: Int) -> Timestamp {
    Timestamp(milliseconds: start.milliseconds + milliseconds)
  }

  private static func rows(of name: String) throws -> [JSONValue] {
    let text = try String(contentsOf: folder.appending(path: "\(name).jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  /// The messages in the server's JSON format.
  package func lines() throws -> [JSONValue] {
    try Self.rows(of: name).map { $0["frame"] }
  }

  /// The subscribed sessions, in order.
  package var sessionIDs: [String] {
    frames.reduce(into: []) { ids, frame in
      guard case .connected(let session, _) = frame.message.kind, !ids.contains(session.id) else {
        return
      }
      ids.append(session.id)
    }
  }
}
