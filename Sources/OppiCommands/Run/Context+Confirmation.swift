// SPDX-License-Identifier: MIT

import OppiRendering

extension Context {
  /// Asks for the confirmation of a step that cannot be undone.
  ///
  /// - Parameters:
  ///   - question: The question, with a question mark.
  ///   - declined: The message if the answer is no.
  ///   - isAgreed: Whether the command line confirms it.
  /// - Throws: `OppiError` if the answer is not yes, or if there is no terminal.
  func confirm(_ question: String, declined: String, unless isAgreed: Bool) async throws {
    guard !isAgreed else { return }
    let destination = console.policy.destination
    guard destination.isInputTerminal, destination.isErrorTerminal, console.policy.form != .json,
      !console.policy.isQuiet
    else { throw OppiError.confirmationNeeded }
    await console.status(StyledText("\(question) [y/N]"))
    let answer = try await standardInput(limit: 1024) { $0.contains(UInt8(ascii: "\n")) }
    let word = String(decoding: answer, as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
    guard ["y", "yes"].contains(word) else {
      throw OppiError(.interrupted, declined, hints: ["nothing was changed"])
    }
  }
}
