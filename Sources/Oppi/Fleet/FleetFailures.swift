// SPDX-License-Identifier: MIT

import OppiModel

/// The errors of a query to several servers: warnings if any server answered; otherwise the first
/// error fails the command.
struct FleetFailures {
  /// Sorted by server name.
  let errors: [OppiError]
  let hasAnswer: Bool

  /// `reason` returns why an answer counts as failed; `nil` if it does not.
  init<Value>(
    _ answers: [Fleet.Answer<Value>],
    reason: (Fleet.Answer<Value>) -> OppiError? = { $0.error }
  ) {
    errors = answers.sorted { $0.server.name < $1.server.name }.compactMap(reason)
    hasAnswer = errors.count < answers.count
  }

  /// The error of the command; `nil` if a server answered.
  var failure: OppiError? { hasAnswer ? nil : errors.first }

  /// The warnings and hints for the other errors.
  var notes: [Report.Note] {
    errors.dropFirst(hasAnswer ? 0 : 1).flatMap { error in
      [.warning(error.message)] + error.hints.map(Report.Note.hint)
    }
  }
}

extension Fleet.Answer {
  /// Why the server could not be queried; `nil` if it answered.
  var error: OppiError? {
    guard case .failure(let error) = result else { return nil }
    return OppiError(error)
  }
}
