// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import Synchronization
import TestSupport
import Testing

@testable import Oppi

/// The lines of a watch whose reader is slow or gone.
@Suite struct WatchPrinterTests {
  private struct Unwritable: Error {}

  /// An output that has no room until it is released.
  private final class Reporter: WatchOutput {
    private let told = Mutex<[String]>([])
    private let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    private let isGone: Bool

    init(isGone: Bool = false) { self.isGone = isGone }

    var names: [String] { told.withLock(\.self) }

    func release() { opening.finish() }

    func text(of alert: Alert, _ request: HumanRequest?, at now: Timestamp) -> AlertText {
      AlertText("")
    }

    func text(of alerts: [Alert]) -> AlertText { AlertText("") }

    func note(on press: WatchPress) -> (title: String, body: String) { ("", "") }

    func note(
      onDenialOf row: ListedRequest,
      _ result: Result<DecisionOutcome, any Error>
    ) -> (title: String, body: String) { ("", "") }

    func document(
      of row: ListedRequest,
      pendingSince begin: Timestamp,
      at now: Timestamp
    ) -> JSONValue { .null }

    func notification(of news: WatchOutbox.News) -> DesktopNotification? { nil }

    func report(_ event: WatchEvent) async throws {
      if isGone { throw Unwritable() }
      for await _ in gate {}
      guard case .serverBack(let name) = event else { return }
      told.withLock { $0.append(name) }
    }
  }

  /// The warnings of a printer.
  private final class Warnings: Sendable {
    private let told = Mutex<[String]>([])

    var texts: [String] { told.withLock(\.self) }

    func add(_ text: String) { told.withLock { $0.append(text) } }
  }

  @Test(
    "a stopped reader delays no event, gets the first ones later, and a count of the others"
  )
  func stopped() async throws {
    let (printer, output, warnings) = (WatchPrinter(), Reporter(), Warnings())
    let names = (0..<Mailbox<WatchEvent>.limit * 2).map(String.init)
    for name in names { printer.report(.serverBack(name: name)) }
    let printing = Task { try await printer.run(output) { warnings.add($0) } }
    #expect(output.names.isEmpty)
    output.release()
    try await waitUntil { output.names.count >= Mailbox<WatchEvent>.limit }
    printing.cancel()
    try await printing.value
    #expect(output.names == Array(names.prefix(Mailbox<WatchEvent>.limit)))
    #expect(
      warnings.texts == [
        "the output was not read in time; events not printed: \(Mailbox<WatchEvent>.limit)"
      ]
    )
  }

  @Test("as many events as are kept are printed without a warning")
  func full() async throws {
    let (printer, output, warnings) = (WatchPrinter(), Reporter(), Warnings())
    output.release()
    for number in 0..<Mailbox<WatchEvent>.limit {
      printer.report(.serverBack(name: String(number)))
    }
    let printing = Task { try await printer.run(output) { warnings.add($0) } }
    try await waitUntil { output.names.count >= Mailbox<WatchEvent>.limit }
    printing.cancel()
    try await printing.value
    #expect(warnings.texts.isEmpty)
  }

  @Test("output that cannot be written ends the printing with its error")
  func gone() async throws {
    let printer = WatchPrinter()
    printer.report(.serverBack(name: "studio"))
    await #expect(throws: Unwritable.self) {
      try await printer.run(Reporter(isGone: true)) { _ in }
    }
  }
}
