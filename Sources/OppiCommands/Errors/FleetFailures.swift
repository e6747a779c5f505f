// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

/// Why servers that were asked the same question could not answer it: one that fails is warned of;
/// only where none answered has the command failed, with the first one's reason.
struct FleetFailures {
  /// By the servers' names.
  let errors: [OppiError]
  /// Whether any server answered.
  let hasAnswer: Bool

  /// - Parameters:
  ///   - answers: What came of the question.
  ///   - reason: Why an answer is none; `nil` where it is one.
  init<Value>(
    _ answers: [Fleet.Answer<Value>],
    reason: (Fleet.Answer<Value>) -> OppiError? = { $0.error }
  ) {
    errors = answers.sorted { $0.server.name < $1.server.name }.compactMap(reason)
    hasAnswer = errors.count < answers.count
  }

  /// Why the command failed; `nil` where a server answered.
  var failure: OppiError? { hasAnswer ? nil : errors.first }

  /// What else is to be told.
  var notes: [Report.Note] {
    errors.dropFirst(hasAnswer ? 0 : 1).flatMap { error in
      [.warning(error.message)] + error.hints.map(Report.Note.hint)
    }
  }
}

extension Fleet.Answer {
  /// Why the server could not be asked; `nil` where it could.
  var error: OppiError? {
    guard case .failure(let error) = result else { return nil }
    return OppiError(error)
  }
}
