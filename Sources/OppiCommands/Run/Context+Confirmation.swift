// SPDX-License-Identifier: MIT

import OppiRendering

extension Context {
  /// Asks for the confirmation of a step that cannot be undone.
  ///
  /// - Parameters:
  ///   - question: The question, with a question mark.
  ///   - declined: The message if the answer is no.
  ///   - word: The word that confirms, which the question names; `nil` for y or yes.
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
    await console.status(StyledText(word == nil ? "\(question) [y/N]" : question))
    let answer = try await standardInput(limit: 1024) { $0.contains(UInt8(ascii: "\n")) }
    let reply = String(decoding: answer, as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
    guard (word.map { [$0] } ?? ["y", "yes"]).contains(reply) else {
      throw OppiError(.interrupted, declined, hints: ["nothing was changed"])
    }
  }

  /// Throws unless the user can see a question and answer it.
  func checkCanConfirm() throws {
    let destination = console.policy.destination
    guard destination.isInputTerminal, destination.isErrorTerminal, console.policy.form != .json,
      !console.policy.isQuiet
    else { throw OppiError.confirmationNeeded }
  }
}
