// SPDX-License-Identifier: MIT

package import Dispatch
import Foundation
import Synchronization

/// A program on a terminal of its own, with a user's actions.
package final class ProgramOnTerminal: Sendable {
  /// The screen never showed the expected content.
  package struct NotSeen: Error, CustomStringConvertible {
    package let description: String
  }

  private struct State {
    var screen: TerminalEmulator
    /// Bytes of an incomplete character or sequence.
    var unfinished: [UInt8] = []
    var waiting: [UUID: Waiter] = [:]
    /// The program's exit status, and whether all its output is on the screen.
    var end: (status: Int32?, isDrained: Bool) = (nil, false)

    var status: Int32? { end.isDrained ? end.status : nil }
  }

  private struct Waiter {
    let isSeen: @Sendable ([String], Int32?) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// How the terminal answers the question for its background.
  package enum Answers: Sendable {
    case atOnce(background: String?)
    /// After a time, if the program is still there, or the shell reads the answers.
    case late(background: String, DispatchTimeInterval)
    case never
  }

  private static let limit = DispatchTimeInterval.seconds(60)

  private let main: Int32
  private let answers: Answers
  private let state: Mutex<State>

  /// Starts a program in a home on a terminal of a size.
  package init(
    _ words: [String],
    in home: Home,
    columns: Int = 80,
    rows: Int = 30,
    environment: [String: String] = [:],
    answers: Answers = .atOnce(background: "0000/0000/0000")
  ) throws {
    var ends: (main: Int32, terminal: Int32) = (-1, -1)
    guard openpty(&ends.main, &ends.terminal, nil, nil, nil) == 0 else {
      throw NotSeen(description: "there are no pseudo-terminals here")
    }
    (main, self.answers) = (ends.main, answers)
    _ = fcntl(main, F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends.terminal, F_SETFD, FD_CLOEXEC)
    state = Mutex(State(screen: TerminalEmulator(width: columns, height: rows)))
    setSize(columns: columns, rows: rows)
    let terminal = FileHandle(fileDescriptor: ends.terminal, closeOnDealloc: true)
    let process = Process()
    // The terminal becomes the controlling terminal of a new session, as in a window.
    process.executableURL = URL(filePath: "/usr/bin/setsid")
    process.arguments = ["--ctty", "--wait"] + words
    process.environment = home.variables(["TERM": "xterm-256color"].merging(environment) { $1 })
    process.currentDirectoryURL = home.folder
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    process.terminationHandler = { [weak self] process in
      self?.change { $0.end.status = process.terminationStatus }
    }
    try process.runInTime()
    // With the last other descriptor closed, reading ends with the program.
    try terminal.close()
    Thread.detachNewThread { [weak self, main] in
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(main, &bytes, bytes.count)
        guard let self else { return }
        guard count > 0 else { return self.change { $0.end.isDrained = true } }
        self.feed(bytes[..<count])
      }
    }
  }

  deinit {
    close(main)
  }

  // MARK: - User

  /// Types; `\r` is Enter.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(main, bytes, bytes.count)
  }

  /// Sends a signal to the program in the foreground of the terminal.
  package func signal(_ number: Int32) {
    let group = tcgetpgrp(main)
    if group > 1 { _ = kill(-group, number) }
  }

  /// Whether the screen is as before the program, and understood all output.
  package var isRestored: Bool {
    state.withLock { state in
      let screen = state.screen
      return !screen.isAlternate && screen.isCursorShown && screen.wraps
        && screen.savedTitles == 0 && !screen.marksPastes && !screen.reportsFocus
        && !screen.sendsWheel && screen.mouseModes.isEmpty
        && screen.unknown.isEmpty
    }
  }

  /// The colours and attributes that the program has used.
  package var styles: Set<String> { state.withLock { $0.screen.styles } }

  /// Whether the program has asked for the background.
  package var isAsked: Bool { state.withLock { $0.screen.isAsked } }

  /// Whether the terminal sends clicks and the wheel to the program.
  package var sendsMouse: Bool { state.withLock { !$0.screen.mouseModes.isEmpty } }

  /// The title of the window; `nil` unless the program has set one.
  package var title: String? { state.withLock { $0.screen.title } }

  package func resize(columns: Int, rows: Int) {
    state.withLock { $0.screen.resize(width: columns, height: rows) }
    setSize(columns: columns, rows: rows)
  }

  /// The lines of the screen and of the scrollback.
  package var lines: [String] { state.withLock { $0.screen.lines } }

  /// Types a text, and waits until a line contains another.
  package func type(_ text: String, see sign: String) async throws {
    type(text)
    try await see(sign)
  }

  /// Waits until a line contains a text.
  package func see(_ text: String) async throws {
    try await wait(for: text) { lines, _ in lines.contains { $0.contains(text) } }
  }

  /// Waits until no line contains a text.
  package func seeNo(_ text: String) async throws {
    try await wait(for: "no \(text)") { lines, _ in !lines.contains { $0.contains(text) } }
  }

  /// Waits for the program's end and returns its exit status.
  package func status() async throws -> Int32 {
    try await wait(for: "the end") { _, status in status != nil }
    return state.withLock { $0.status } ?? -1
  }

  /// Waits until the screen or the exit status meets a condition.
  package func wait(
    for what: String,
    until isSeen: @escaping @Sendable ([String], Int32?) -> Bool
  ) async throws {
    let id = UUID()
    let isDone = await withCheckedContinuation { continuation in
      state.withLock { state in
        if isSeen(state.screen.lines, state.status) { return continuation.resume(returning: true) }
        state.waiting[id] = Waiter(isSeen: isSeen, continuation: continuation)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { [weak self] in
        self?.giveUp(id)
      }
    }
    guard isDone else {
      throw NotSeen(description: "not seen: \(what)\n" + lines.joined(separator: "\n"))
    }
  }

  // MARK: - The terminal

  private func setSize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows),
      ws_col: UInt16(columns),
      ws_xpixel: 0,
      ws_ypixel: 0
    )
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
  }

  private func answer(_ screen: inout TerminalEmulator) {
    switch answers {
    case .atOnce(let background): type(screen.answers(background: background))
    case .late(let background, let delay):
      let text = screen.answers(background: background)
      guard !text.isEmpty else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
        self?.type(text)
      }
    case .never: break
    }
  }

  private func feed(_ bytes: ArraySlice<UInt8>) {
    state.withLock { state in
      let all = state.unfinished + bytes
      let end = all.endOfWhole
      state.unfinished = Array(all[end...])
      state.screen.feed(Array(all[..<end]))
      answer(&state.screen)
      if !state.screen.isUpdating { Self.tell(&state) }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      Self.tell(&state)
    }
  }

  private func giveUp(_ id: UUID) {
    let waiter = state.withLock { $0.waiting.removeValue(forKey: id) }
    waiter?.continuation.resume(returning: false)
  }

  private static func tell(_ state: inout State) {
    let lines = state.screen.lines
    for (id, waiter) in state.waiting where waiter.isSeen(lines, state.status) {
      state.waiting[id] = nil
      waiter.continuation.resume(returning: true)
    }
  }
}

extension [UInt8] {
  /// Where an incomplete sequence or character at the end begins.
  fileprivate var endOfWhole: Int {
    if let escape = lastIndex(of: 0x1B) {
      let rest = self[escape...].dropFirst()
      let isWhole =
        rest.first == UInt8(ascii: "]")
        ? rest.contains(0x07) : rest.dropFirst().contains { (0x40...0x7E).contains($0) }
      if !isWhole { return escape }
    }
    guard last == 0x0D || last.map({ $0 >= 0x80 }) == true else { return count }
    if last == 0x0D { return count - 1 }
    let start = lastIndex { $0 & 0xC0 != 0x80 } ?? 0
    let length = self[start] >= 0xF0 ? 4 : self[start] >= 0xE0 ? 3 : 2
    return count - start >= length ? count : start
  }
}
