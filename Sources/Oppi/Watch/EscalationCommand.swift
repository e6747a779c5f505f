// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The user's command that gets requests which stay pending: one JSON object on standard input.
///
/// Its arguments and its environment contain nothing from a server; its output is dropped.
struct EscalationCommand {
  /// A command that takes longer is killed together with its children.
  private static let limit = Duration.seconds(10)

  private let words: [String]
  private let context: IntentContext

  /// `words` are the program and its arguments.
  init(_ words: [String], in context: IntentContext) {
    (self.words, self.context) = (words, context)
  }

  /// Runs the command to its end; returns why it failed, or `nil`.
  func run(_ document: JSONValue) async -> String? {
    var process = ChildProcess(arguments: words)
    process.input = document.bytes() + [UInt8(ascii: "\n")]
    process.isOutputDiscarded = true
    process.errors = .discarded
    let deadline = context.loop.now + Self.limit
    do {
      let outcome = try await context.programs.run(process, on: context.loop, until: deadline)
      return outcome.status == 0 ? nil : "\(words[0]) exited with status \(outcome.status)"
    } catch {
      switch error {
      case .cannotStart(let cause): return "could not run \(words[0]): \(cause)"
      case .timedOut, .tooMuchOutput: return "\(words[0]) took longer than 10 s"
      case .cancelled: return "\(words[0]) was interrupted"
      }
    }
  }
}
