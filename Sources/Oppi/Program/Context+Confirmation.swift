// SPDX-License-Identifier: MIT

import EventLoop
import OppiRendering
import OppiSystem

extension Context {
  /// Asks for the confirmation of a step that cannot be undone.
  ///
  /// - Parameters:
  ///   - question: The question, with a question mark.
  ///   - declined: The message if the answer is no.
  ///   - word: The word that confirms; `nil` for y or yes.
  ///   - isAgreed: Whether the command line confirms it.
  /// - Throws: `OppiError` if the answer is not yes, or if there is no terminal.
  func confirm(
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
  func checkCanConfirm() throws {
    guard canConfirm else { throw OppiError.confirmationNeeded }
  }

  /// Whether the user can see a question and answer it.
  var canConfirm: Bool {
    let destination = console.policy.destination
    return destination.isInputTerminal && destination.isErrorTerminal
      && console.policy.form != .json && !console.policy.isQuiet
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
  func answer(
    to question: [StyledText],
    _ prompt: String,
    within limit: Duration? = nil
  ) async throws -> String? {
    var options = self.options
    options.isQuiet = false
    let console = self.console.with(options)
    for line in question { await console.status(line) }
    try await intents.loop.sleep(for: Self.readingPause)
    Input.discardTyped()
    await console.prompt(prompt)
    let bytes = try await standardInput(limit: 1024, within: limit) {
      $0.contains(UInt8(ascii: "\n"))
    }
    guard !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Longer than the way of a key that was on it when the question was shown.
  static let readingPause = Duration.milliseconds(500)
}
