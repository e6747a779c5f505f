// SPDX-License-Identifier: MIT

/// What an answer must fulfil for its turn to count as successful.
package struct AnswerChecks: Sendable, Hashable {
  /// The schema of the JSON value that the answer must be.
  package var schema: AnswerSchema?
  /// A command line that must succeed after the turn.
  package var command: String?
  /// How often the output of a failed command is sent to the agent.
  package var commandRetries = 0

  /// How often a mismatch with the schema is sent to the agent.
  package static let schemaRetries = 1
  /// The most retries of a command.
  package static let retryLimit = 10

  package init() {}

  package var isEmpty: Bool { schema == nil && command == nil }
}
