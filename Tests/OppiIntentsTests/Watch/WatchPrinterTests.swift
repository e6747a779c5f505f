// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem
import Synchronization
import Testing

/// The lines of a watch whose reader is slow or gone.
@Suite struct WatchPrinterTests {
  private struct Unwritable: Error {}

  /// A teller whose output has no room until it is released.
  private final class Teller: WatchTeller {
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

    func notification(of news: WatchOutbox.News) -> DesktopNotification? { nil }

    func tell(_ event: WatchEvent) async throws {
      if isGone { throw Unwritable() }
      for await _ in gate {}
      guard case .serverBack(let name) = event else { return }
      told.withLock { $0.append(name) }
    }
  }

  @Test("a reader that has stopped delays no event, and gets the first ones in order later")
  func stopped() async throws {
    let (printer, teller) = (WatchPrinter(), Teller())
    let printing = Task { try await printer.run(teller) }
    let names = (0..<WatchPrinter.limit * 2).map(String.init)
    for name in names { printer.tell(.serverBack(name: name)) }
    #expect(teller.names.isEmpty)
    teller.release()
    while teller.names.count < WatchPrinter.limit { await Task.yield() }
    printing.cancel()
    try await printing.value
    #expect(names.starts(with: teller.names))
    #expect(teller.names.count <= WatchPrinter.limit + 1)
  }

  @Test("output that cannot be written ends the printing with its error")
  func gone() async throws {
    let printer = WatchPrinter()
    printer.tell(.serverBack(name: "studio"))
    await #expect(throws: Unwritable.self) { try await printer.run(Teller(isGone: true)) }
  }
}
