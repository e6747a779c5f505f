// SPDX-License-Identifier: MIT

import EventLoop
package import OppiSystem
import Synchronization
import TestSupport

/// A terminal of a world, with a person before it who types and looks, in virtual time.
package final class VirtualTerminal: Sendable {
  /// The screen never came to show what was waited for.
  package struct NotSeen: Error, CustomStringConvertible {
    package let description: String
  }

  /// Who has the keys.
  enum Mode {
    /// Nobody who is told of: what is typed waits, and Ctrl-C is a signal.
    case shell
    case keys
    case lines
  }

  struct State {
    var screen: TerminalEmulator
    var mode = Mode.shell
    /// A picture is drawn on it.
    var hasPicture = false
    /// What was typed and not read yet.
    var typed: [UInt8] = []
    /// The line that is being typed, which the terminal edits itself.
    var line: [UInt8] = []
    /// How often the input has ended and nobody has read that yet.
    var ends = 0
    var isGone = false
    var events: [TerminalEvent] = []
    /// The person has not looked since the screen changed.
    var isUnseen = false
    var outcome: Program.Outcome?
    var program: Program?
  }

  /// The longest that a person waits for anything.
  private static let patience = Duration.seconds(120)

  let loop: EventLoop
  let state: Mutex<State>
  private let number: Int32

  /// Makes a terminal of a size; negative descriptors are not those of anything else.
  init(number: Int, columns: Int, rows: Int, on loop: EventLoop) {
    self.number = Int32(number)
    self.loop = loop
    state = Mutex(State(screen: TerminalEmulator(width: columns, height: rows)))
  }

  // MARK: - What the loop waits for

  var inputDescriptor: Int32 { -3 * number }
  var eventDescriptor: Int32 { -3 * number - 1 }
  private var screenDescriptor: Int32 { -3 * number - 2 }

  /// Whether a descriptor of the terminal is ready; `nil` for those of others.
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

  /// Shows what was written, each line feed at the start of the next line.
  func show(_ bytes: [UInt8]) {
    let lineFeed = UInt8(ascii: "\n")
    let shown = bytes.flatMap { $0 == lineFeed ? [UInt8(ascii: "\r"), lineFeed] : [$0] }
    state.withLock { state in
      state.screen.feed(shown)
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

  /// Types; `\r` is Enter.
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

  /// Closes the terminal's window.
  package func close() {
    state.withLock { $0.isGone = true }
  }

  /// Changes the size, of which the program is told.
  package func resize(columns: Int, rows: Int) {
    state.withLock { state in
      state.screen.resize(width: columns, height: rows)
      state.events.append(.resized)
    }
  }

  /// Tells the program that it goes on after a stop, or is to stop.
  package func signal(_ event: TerminalEvent) {
    state.withLock { $0.events.append(event) }
  }

  /// What is on the screen and above it.
  package var lines: [String] { state.withLock { $0.screen.lines } }

  /// Whether the terminal is as it was before the program: the keys with the shell, the cursor to be
  /// seen, long lines wrapped; and whether it understood all that was written to it.
  package var isRestored: Bool {
    state.withLock { state in
      state.mode == .shell && state.screen.isCursorShown && state.screen.wraps
        && !state.screen.isUpdating && state.screen.unknown.isEmpty
    }
  }

  /// Whether the program has ended.
  package var hasEnded: Bool { state.withLock { $0.outcome != nil } }

  /// Waits until a line holds a text.
  package func see(_ text: String) async throws {
    try await wait(for: text) { lines in lines.contains { $0.contains(text) } }
  }

  /// Waits until no line holds a text.
  package func seeNo(_ text: String) async throws {
    try await wait(for: "no \(text)") { lines in !lines.contains { $0.contains(text) } }
  }

  /// Waits until the screen fulfils a condition.
  package func wait(for what: String, until isSeen: ([String]) -> Bool) async throws {
    try await look(for: what) { isSeen($0.screen.lines) }
  }

  /// Waits for the end of the program.
  package func end() async throws -> Program.Outcome {
    try await look(for: "the end") { $0.outcome != nil }
    guard let outcome = state.withLock(\.outcome) else { throw NotSeen(description: "no outcome") }
    return outcome
  }

  private func look(for what: String, until isSeen: (State) -> Bool) async throws {
    let deadline = loop.now + Self.patience
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
        throw NotSeen(description: "not seen: \(what)\n\(screen)")
      }
    }
  }
}

extension VirtualTerminal.State {
  /// Takes a key where the terminal edits lines itself and echoes them.
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
