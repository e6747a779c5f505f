// SPDX-License-Identifier: MIT

import EventLoop
package import OppiSystem
import Synchronization
import TestSupport

/// A terminal with a simulated user who types and reads, in virtual time.
package final class VirtualTerminal: Sendable {
  /// The screen did not show the expected content in time.
  package struct NotSeen: Error, CustomStringConvertible {
    package let description: String
  }

  /// The mode of key input.
  enum Mode {
    /// No program reads keys: they are dropped, except that Ctrl-C interrupts the program.
    case shell
    case keys
    case lines
  }

  struct State {
    var screen: TerminalEmulator
    var mode = Mode.shell
    /// What the terminal does for a program that reads keys.
    var modes: [TerminalMode] = []
    /// A picture is drawn on the screen.
    var hasPicture = false
    /// Typed bytes that are not read yet.
    var typed: [UInt8] = []
    /// The current input line, which the terminal edits itself.
    var line: [UInt8] = []
    /// The number of ends of input that are not read yet.
    var ends = 0
    var isGone = false
    var events: [TerminalEvent] = []
    /// The screen has changed since the user last looked.
    var isUnseen = false
    var outcome: Program.Outcome?
    var program: Program?
  }

  /// The maximum time that the user waits.
  private static let timeout = Duration.seconds(120)

  let loop: EventLoop
  let state: Mutex<State>
  private let number: Int32

  /// Creates a terminal; its negative descriptors are different from those of sockets.
  init(number: Int, columns: Int, rows: Int, on loop: EventLoop) {
    self.number = Int32(number)
    self.loop = loop
    state = Mutex(State(screen: TerminalEmulator(width: columns, height: rows)))
  }

  // MARK: - Descriptors

  var inputDescriptor: Int32 { -3 * number }
  var eventDescriptor: Int32 { -3 * number - 1 }
  private var screenDescriptor: Int32 { -3 * number - 2 }

  /// Whether a descriptor of the terminal is ready; `nil` for other descriptors.
  func isReady(_ descriptor: Int32) -> Bool? {
    state.withLock { state in
      switch descriptor {
      case inputDescriptor: !state.typed.isEmpty || state.ends > 0 || state.isGone
      case eventDescriptor: !state.events.isEmpty
      case screenDescriptor: state.isUnseen && !state.screen.isUpdating
      default: nil
      }
    }
  }

  // MARK: - The program

  /// Shows bytes, with a carriage return before each line feed.
  func show(_ bytes: [UInt8]) {
    let lineFeed = UInt8(ascii: "\n")
    let shown = bytes.flatMap { $0 == lineFeed ? [UInt8(ascii: "\r"), lineFeed] : [$0] }
    state.withLock { state in
      state.screen.feed(shown)
      state.typed += state.screen.answers(background: "0000/0000/0000").utf8
      state.isUnseen = true
    }
  }

  func begin(_ program: Program) {
    state.withLock { $0.program = program }
  }

  func end(_ outcome: Program.Outcome) {
    state.withLock { state in
      state.outcome = outcome
      state.program = nil
      state.isUnseen = true
    }
  }

  var columns: Int { state.withLock(\.screen.width) }

  var rows: Int { state.withLock(\.screen.height) }

  // MARK: - The person

  /// Types a text; `\r` is Enter.
  package func type(_ text: String) {
    let interrupted = state.withLock { state -> Program? in
      switch state.mode {
      case .keys: state.typed += text.utf8
      case .lines: for byte in text.utf8 { state.edit(byte) }
      case .shell: return text.contains("\u{03}") ? state.program : nil
      }
      return nil
    }
    interrupted?.interrupt()
  }

  /// Closes the terminal window.
  package func close() {
    state.withLock { $0.isGone = true }
  }

  /// Changes the size and notifies the program.
  package func resize(columns: Int, rows: Int) {
    state.withLock { state in
      state.screen.resize(width: columns, height: rows)
      state.events.append(.resized)
    }
  }

  /// Sends a terminal event to the program.
  package func signal(_ event: TerminalEvent) {
    state.withLock { $0.events.append(event) }
  }

  /// The lines of the screen and of its scrollback.
  package var lines: [String] { state.withLock { $0.screen.lines } }

  /// The notifications that the program showed by sequences.
  package var calls: [String] { state.withLock { $0.screen.calls } }

  /// The program statuses that were reported, in order.
  package var statuses: [String] { state.withLock { $0.screen.statuses } }

  /// What was typed and is not read yet.
  package var unread: String { state.withLock { String(decoding: $0.typed, as: UTF8.self) } }

  /// The colours and attributes that were used.
  package var styles: Set<String> { state.withLock { $0.screen.styles } }

  /// The title that the program gave to the window; `nil` if it has its own.
  package var title: String? { state.withLock { $0.screen.title } }

  /// Whether the terminal has its original state and understood all output.
  ///
  /// In the original state, keys go to the shell, the cursor is visible and long lines wrap.
  package var isRestored: Bool {
    state.withLock { state in
      state.mode == .shell && state.screen.isCursorShown && state.screen.wraps
        && !state.screen.isUpdating && state.screen.unknown.isEmpty
        && !state.screen.isAlternate && !state.screen.reportsFocus
        && state.screen.savedTitles == 0 && state.screen.mouseModes.isEmpty
    }
  }

  package var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Types a text, and waits until a line contains another.
  package func type(_ text: String, see sign: String) async throws {
    type(text)
    try await see(sign)
  }

  /// Waits until a line contains a text.
  package func see(_ text: String) async throws {
    try await wait(for: text) { lines in lines.contains { $0.contains(text) } }
  }

  /// Waits until no line contains a text.
  package func seeNo(_ text: String) async throws {
    try await wait(for: "no \(text)") { lines in !lines.contains { $0.contains(text) } }
  }

  /// Waits until the screen meets a condition.
  package func wait(for what: String, until isSeen: ([String]) -> Bool) async throws {
    try await look(for: what) { isSeen($0.screen.lines) }
  }

  /// Waits until the program ends.
  package func end() async throws -> Program.Outcome {
    try await look(for: "the end") { $0.outcome != nil }
    guard let outcome = state.withLock(\.outcome) else { throw NotSeen(description: "no outcome") }
    return outcome
  }

  private func look(for what: String, until isSeen: (State) -> Bool) async throws {
    let deadline = loop.now + Self.timeout
    while true {
      let isDone = state.withLock { state in
        state.isUnseen = false
        return isSeen(state)
      }
      if isDone { return }
      do {
        _ = try await loop.wait(for: [.readable(screenDescriptor)], until: deadline)
      } catch {
        let screen = lines.joined(separator: "\n")
        throw NotSeen(description: "not shown: \(what)\n\(screen)")
      }
    }
  }
}

extension VirtualTerminal.State {
  /// Handles a key in line mode: the terminal edits and echoes the line.
  fileprivate mutating func edit(_ byte: UInt8) {
    let end = UInt8(0x04)
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      typed += line + [UInt8(ascii: "\n")]
      line = []
      screen.feed(Array("\r\n".utf8))
    case VirtualTerminal.interrupt, VirtualTerminal.suspension:
      typed += line + [byte]
      line = []
      screen.feed([UInt8(ascii: "^"), byte + 0x40])
    case end where line.isEmpty: ends += 1
    case end:
      typed += line
      line = []
    default:
      line.append(byte)
      screen.feed([byte])
    }
    isUnseen = true
  }
}
