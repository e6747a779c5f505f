// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi

/// Steps of a watch are recorded before they are taken.
@Suite struct EscalationFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func file(_ loop: EventLoop) -> RecordFile<EscalationLedger> {
    RecordFile(scratch.paths.escalationsFile, in: FileStore(loop: loop))
  }

  private func key(_ id: String) -> EscalationKey {
    let question = UserQuestion(id: id, method: "confirm", body: ["title": "Proceed?"])
    let server = Fingerprint(digest: Array(repeating: 7, count: 32))
    return EscalationKey(.question(question), of: server)
  }

  private let now = Timestamp(milliseconds: 1_800_000_000_000)

  @Test("of two claims of one step, the first gets it, also through another store")
  func claims() throws {
    try onLoop { [self] loop in
      let (first, second) = (file(loop), file(loop))
      #expect(try await first.claim(.deny, of: [key("a")]).isEmpty, "the request is unknown")
      _ = try await first.note([key("a"), key("b")], at: now)
      #expect(try await first.claim(.deny, of: [key("a")]) == [key("a")])
      #expect(try await second.claim(.deny, of: [key("a"), key("b")]) == [key("b")])
      #expect(try await second.claim(.again, of: [key("a")]) == [key("a")])
      let ledger = try await second.note([key("a")], at: now.moved(by: .seconds(60)))
      #expect(ledger[key("a")] == .init(since: now, done: [.again, .deny]))
    }
  }

  @Test("a damaged file or one of a later version is left as it is, and nothing can be claimed")
  func damaged() throws {
    try onLoop { [self] loop in
      let files = FileStore(loop: loop)
      try files.replace(scratch.paths.escalationsFile, with: Array("{".utf8))
      await #expect(throws: FileError.self) { try await file(loop).note([key("a")], at: now) }
      await #expect(throws: FileError.self) { try await file(loop).claim(.deny, of: [key("a")]) }
      #expect(try files.read(scratch.paths.escalationsFile) == Array("{".utf8))
      let later = Array(#"{"version":2}"#.utf8)
      try files.replace(scratch.paths.escalationsFile, with: later)
      await #expect(throws: FileError.self) { try await file(loop).note([key("a")], at: now) }
      #expect(try files.read(scratch.paths.escalationsFile) == later)
    }
  }
}
