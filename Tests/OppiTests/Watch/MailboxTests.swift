// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Synchronization
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The lines and messages of a watch whose reader is slow or gone.
@Suite struct MailboxTests {
  private struct Unwritable: Error {}

  private static let limit = Mailbox<String>.limit

  /// A reader that takes no message until it is released.
  private final class Reader: Reporter {
    private let got = Mutex<[String]>([])
    private let (gate, opening) = AsyncStream.makeStream(of: Void.self)

    var texts: [String] { got.withLock(\.self) }
    var messages: [String] { texts.filter { !$0.hasPrefix("warning: ") } }
    var warnings: [String] { texts.filter { $0.hasPrefix("warning: ") } }

    func release() { opening.finish() }

    func warn(_ message: String) async { got.withLock { $0.append("warning: \(message)") } }

    func status(_ message: String) async {
      for await _ in gate {}
      got.withLock { $0.append(message) }
    }

    func detail(_ message: @autoclosure () -> String) async {}

    func reason(of error: any Error) -> FailureReason { FailureReason(code: "", message: "") }
  }

  @Test(
    "a stopped reader delays no message, gets the first ones later, and a count of the others",
    arguments: [0, limit]
  )
  func stopped(excess: Int) async throws {
    let (box, reader) = (Mailbox<String>(), Reader())
    let names = (0..<Self.limit + excess).map(String.init)
    for name in names { box.send(name) }
    let reading = Task { await box.read(reader.status) { await reader.warn("lost: \($0)") } }
    #expect(reader.messages.isEmpty)
    reader.release()
    try await waitUntil { reader.messages.count >= Self.limit }
    reading.cancel()
    await reading.value
    #expect(reader.messages == Array(names.prefix(Self.limit)))
    #expect(reader.warnings == (excess > 0 ? ["warning: lost: \(excess)"] : []))
  }

  @Test("output that cannot be written ends the reading with its error")
  func gone() async throws {
    let box = Mailbox<String>()
    box.send("studio")
    await #expect(throws: Unwritable.self) {
      try await box.read { _ in
        throw Unwritable()
      } onLoss: { _ in
      }
    }
  }

  @Test("messages on standard error beyond the limit are counted, and the count is reported once")
  func counts() async throws {
    let reader = Reader()
    let reporter = WatchReporter(reader)
    reader.release()
    for number in 0..<(Self.limit + 3) { await reporter.status("\(number)") }
    let run = Task { await reporter.run() }
    try await waitUntil { reader.texts.count > Self.limit }
    run.cancel()
    #expect(reader.messages == (0..<Self.limit).map(String.init))
    #expect(
      reader.warnings
        == ["warning: standard error was not read in time; messages not printed: 3"]
    )
  }

  @Test("events beyond the limit are counted, and output that cannot be written ends the watch")
  func unwritable() {
    inFlowWorld(["studio"]) { home in
      let reader = Reader()
      let printed = Mutex(0)
      reader.release()
      var context = home.context
      context.reporter = reader
      var service = WatchService(WatchRules(isSilent: true), of: { home.paired }, in: context)
      for _ in 0..<(Self.limit + 2) { service.lines.send(.step(status: "event")) }
      await #expect(throws: Unwritable.self) {
        try await service.run { _ in
          let count = printed.withLock { count in
            count += 1
            return count
          }
          guard count > 1 else { return }
          try await home.world.pass(.seconds(1))
          throw Unwritable()
        }
      }
      #expect(
        reader.warnings == ["warning: the output was not read in time; events not printed: 2"]
      )
    }
  }
}
