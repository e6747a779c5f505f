// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiSystem
import Synchronization
import TestSupport

// A program's access to its terminal.
extension VirtualTerminal: TerminalAccess {
  static let interrupt = UInt8(0x03)
  static let suspension = UInt8(0x1A)
  private static let showCursor = Array("\u{1B}[?25h".utf8)

  package func events(on loop: EventLoop) -> any TerminalEventSource { Events(terminal: self) }

  package func keys(modes: [TerminalMode], on loop: EventLoop) -> any KeyTerminal {
    state.withLock { $0.modes = modes }
    enter(.keys)
    return Keys(terminal: self)
  }

  package func lines(on loop: EventLoop) -> any PrintingTerminal {
    enter(.lines)
    return Lines(terminal: self)
  }

  package func picture(on stream: StandardStream, on loop: EventLoop) -> any PictureTerminal {
    state.withLock { $0.hasPicture = true }
    return Picture(terminal: self)
  }

  private func enter(_ mode: Mode) {
    let (former, modes) = state.withLock { state in
      defer { state.mode = mode }
      return (state.mode, state.modes)
    }
    guard former != mode else { return }
    if former == .keys { show(modes.reversed().flatMap(\.end.utf8)) }
    if mode == .keys { show(modes.flatMap(\.begin.utf8)) }
  }

  private var size: (columns: Int, rows: Int) {
    state.withLock { ($0.screen.width, $0.screen.height) }
  }

  private func takeEvents() -> [TerminalEvent] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Takes the input: empty at an end of input, `nil` if there is none.
  private func takeTyped() -> [UInt8]? {
    state.withLock { state in
      if !state.typed.isEmpty {
        defer { state.typed = [] }
        return state.typed
      }
      if state.isGone { return [] }
      guard state.ends > 0 else { return nil }
      state.ends -= 1
      return []
    }
  }

  private func read(
    until deadline: EventLoop.Instant?
  ) async throws(EventLoop.WaitError) -> [UInt8] {
    while true {
      _ = try await loop.wait(for: [.readable(inputDescriptor)], until: deadline)
      if let bytes = takeTyped() { return bytes }
    }
  }

  private struct Events: TerminalEventSource {
    let terminal: VirtualTerminal

    func next() async -> TerminalEvent? {
      let interests = [EventLoop.Interest.readable(terminal.eventDescriptor)]
      guard (try? await terminal.loop.wait(for: interests, until: nil)) != nil else { return nil }
      return terminal.state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }
  }

  private struct Keys: KeyTerminal {
    let terminal: VirtualTerminal

    func size() -> (columns: Int, rows: Int) { terminal.size }

    func write(_ bytes: [UInt8]) { terminal.show(bytes) }

    func read(until deadline: EventLoop.Instant?) async throws(CancellationError) -> [UInt8]? {
      do {
        return try await terminal.read(until: deadline)
      } catch {
        if error == .timedOut { return nil }
        throw CancellationError()
      }
    }

    func whileRestored<Result, Failure>(
      _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
      // Keys typed into another program are not read here.
      terminal.enter(.shell)
      defer { terminal.enter(.keys) }
      return try await body()
    }

    func dropInput(for limit: Duration, until isEnd: ([UInt8]) -> Bool) {
      if let bytes = terminal.takeTyped() { _ = isEnd(bytes) }
    }

    func set(_ mode: TerminalMode, isOn: Bool) {
      terminal.state.withLock { state in
        state.modes.removeAll { $0 == mode }
        if isOn { state.modes.append(mode) }
      }
      write(Array((isOn ? mode.begin : mode.end).utf8))
    }

    /// The shell resumes the program at once.
    func suspend() -> Bool { true }

    func restore(after lastFrame: [UInt8]) {
      guard terminal.state.withLock({ $0.mode == .keys }) else { return }
      terminal.show(lastFrame + VirtualTerminal.showCursor)
      terminal.enter(.shell)
    }
  }

  private struct Lines: PrintingTerminal {
    let terminal: VirtualTerminal

    var interrupt: UInt8 { VirtualTerminal.interrupt }
    var suspension: UInt8 { VirtualTerminal.suspension }

    func read() async throws -> [UInt8] { try await terminal.read(until: nil) }

    func takeUnread() -> [UInt8] {
      terminal.state.withLock { state in
        defer { (state.typed, state.line) = ([], []) }
        return state.typed + state.line
      }
    }

    func suspend() {}

    func restore() { terminal.enter(.shell) }
  }

  private struct Picture: PictureTerminal {
    let terminal: VirtualTerminal

    var isInForeground: Bool { true }

    func size() -> (columns: Int, rows: Int) { terminal.size }

    func write(_ bytes: [UInt8]) { terminal.show(bytes) }

    func takeEvents() -> [TerminalEvent] { terminal.takeEvents() }

    func suspend() {}

    func restore(after lastFrame: [UInt8]) {
      let isFirst = terminal.state.withLock { state in
        defer { state.hasPicture = false }
        return state.hasPicture
      }
      if isFirst { terminal.show(lastFrame + VirtualTerminal.showCursor) }
    }
  }
}

/// The terminal access of a program without a terminal: every call fails.
struct NoTerminal: TerminalAccess {
  private static let failure = SystemError("tcgetattr", code: 25)

  func events(on loop: EventLoop) throws(SystemError) -> any TerminalEventSource {
    throw Self.failure
  }

  func keys(
    modes: [TerminalMode],
    on loop: EventLoop
  ) throws(SystemError) -> any KeyTerminal { throw Self.failure }

  func lines(on loop: EventLoop) throws(SystemError) -> any PrintingTerminal { throw Self.failure }

  func picture(
    on stream: StandardStream,
    on loop: EventLoop
  ) throws(SystemError) -> any PictureTerminal { throw Self.failure }
}
