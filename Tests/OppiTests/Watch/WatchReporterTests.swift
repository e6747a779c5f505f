// SPDX-License-Identifier: MIT

import OppiModel
import Synchronization
import TestSupport
import Testing

@testable import Oppi

/// The messages of a watch on standard error.
@Suite struct WatchReporterTests {
  /// Records the messages, and ends its reader at the last one.
  private final class Record: IntentReporter {
    let messages = Mutex<[String]>([])

    func warn(_ message: String) async { messages.withLock { $0.append("warning: \(message)") } }
    func status(_ message: String) async { messages.withLock { $0.append(message) } }
    func detail(_ message: @autoclosure () -> String) async {}
    func reason(of error: any Error) -> FailureReason { FailureReason(code: "", message: "") }
  }

  @Test("messages beyond the limit are counted, and the count is reported once")
  func counts() async throws {
    let record = Record()
    let reporter = WatchReporter(record)
    for number in 0..<(BoundedQueue<String>.limit + 3) { await reporter.status("\(number)") }
    let run = Task { await reporter.run() }
    try await waitUntil { record.messages.withLock(\.count) > BoundedQueue<String>.limit }
    run.cancel()
    let messages = record.messages.withLock { $0 }
    #expect(messages[0] == "0" && messages.last == "\(BoundedQueue<String>.limit - 1)")
    #expect(
      messages.filter { $0.hasPrefix("warning") }
        == ["warning: standard error was not read in time; messages not printed: 3"]
    )
  }
}
