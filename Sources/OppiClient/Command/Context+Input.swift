// SPDX-License-Identifier: MIT

package import EventLoop
import OppiSystem
package import OppiTerminal
import OppiText

/// Reads the input to send; `--timeout` limits the wait for a slow pipe.
extension Context {
  /// Reads standard input to its end; on a terminal, only until `isComplete` returns true.
  ///
  /// - Throws: `OppiError` if `--timeout` elapses, and `EventLoop.WaitError.timedOut` if `duration`
  ///   does, which replaces it; what `Input` throws.
  package func standardInput(
    limit: Int,
    within duration: Duration? = nil,
    isComplete: ([UInt8]) -> Bool = { _ in false }
  ) async throws -> [UInt8] {
    let isPerson = output.policy.destination.isInputTerminal
    return try await inTime("standard input", within: duration) { deadline in
      try await Input.standardInput(on: services.loop, limit: limit, until: deadline) { bytes in
        isPerson && isComplete(bytes)
      }
    }
  }

  /// Reads a file, a pipe or a device.
  ///
  /// - Throws: `OppiError` if `--timeout` elapses; what `Services` throws.
  package func contents(of file: String, limit: Int) async throws -> [UInt8] {
    try await inTime(file) { try await services.contents(of: file, limit: limit, until: $0) }
  }

  private func inTime<Value>(
    _ source: String,
    within duration: Duration? = nil,
    _ read: (EventLoop.Instant?) async throws -> Value
  ) async throws -> Value {
    do {
      return try await read((duration ?? options.timeout).map { services.loop.now + $0 })
    } catch EventLoop.WaitError.timedOut where duration == nil {
      throw OppiError(
        .waitTimedOut,
        "--timeout elapsed while reading \(source.safeLine()); nothing was sent"
      )
    }
  }
}

extension Services {
  /// Reads a file that the user named, a pipe or a device.
  ///
  /// - Throws: `OppiError` if it does not exist or is a folder; what `Input` throws.
  package func contents(
    of file: String,
    limit: Int,
    until deadline: EventLoop.Instant?
  ) async throws -> [UInt8] {
    do {
      let bytes = try await Input.file(file, on: loop, limit: limit, until: deadline)
      guard let bytes else { throw OppiError(.noInput, "no such file: \(file.safeLine())") }
      return bytes
    } catch FileError.cannotRead(_, let cause) where cause.isFolder {
      throw OppiError(.noInput, "\(file.safeLine()) is a directory")
    }
  }
}

extension Context {
  /// Asks for the confirmation of a step that cannot be undone.
  ///
  /// - Parameters:
  ///   - question: The question, with a question mark.
  ///   - declined: The message if the answer is no.
  ///   - word: The word that confirms; `nil` for y or yes.
  ///   - isAgreed: Whether the command line confirms it.
  /// - Throws: `OppiError` if the answer is not yes, or if there is no terminal.
  package func confirm(
    _ question: String,
    declined: String,
    by word: String? = nil,
    unless isAgreed: Bool
  ) async throws {
    guard !isAgreed else { return }
    try checkCanConfirm()
    let prompt = word.map { "Type \($0) and press Enter to confirm: " } ?? "[y/N] "
    let answer = try await answer(to: [StyledText(question)], prompt)
    guard let answer, (word.map { [$0] } ?? ["y", "yes"]).contains(answer) else {
      throw OppiError(.interrupted, declined, hints: ["nothing was changed"])
    }
  }

  /// Throws unless the user can see a question and answer it.
  package func checkCanConfirm() throws {
    guard canConfirm else {
      throw OppiError(
        .usage,
        "this command requires confirmation",
        hints: ["run it on a terminal, or add --yes"]
      )
    }
  }

  /// Whether the user can see a question and answer it.
  package var canConfirm: Bool {
    let destination = output.policy.destination
    return destination.isInputTerminal && destination.isErrorTerminal
      && output.policy.form != .json && !output.policy.isQuiet
  }

  /// Shows a question at the terminal, even with `--quiet`, and reads the line that answers it.
  ///
  /// What was typed before the prompt is no answer, because the question could not have been read:
  /// it is discarded.
  ///
  /// - Parameters:
  ///   - question: What the user must read first.
  ///   - prompt: How to answer, shown after a pause.
  ///   - limit: How long to wait for the answer; `nil` for `--timeout`.
  /// - Returns: The line in lower case, with single blanks; `nil` at the end of input.
  /// - Throws: `EventLoop.WaitError.timedOut` at the limit; what the standard input throws.
  package func answer(
    to question: [StyledText],
    _ prompt: String,
    within limit: Duration? = nil
  ) async throws -> String? {
    var options = self.options
    options.isQuiet = false
    let output = self.output.with(options)
    for line in question { await output.status(line) }
    try await services.loop.sleep(for: Self.readingPause)
    Input.discardTyped()
    await output.prompt(prompt)
    let bytes = try await standardInput(limit: 1024, within: limit) {
      $0.contains(UInt8(ascii: "\n"))
    }
    guard !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Longer than the way of a key that was on it when the question was shown.
  package static let readingPause = Duration.milliseconds(500)
}
