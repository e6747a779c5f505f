// SPDX-License-Identifier: MIT

import TestSupport
import Testing

extension Home {
  /// Runs `oppi`, and expects its exit status.
  @discardableResult
  func oppi(
    _ arguments: String...,
    input: String? = nil,
    environment: [String: String] = [:],
    exits status: Int32,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    try await oppi(
      arguments,
      input: input,
      environment: environment,
      exits: status,
      at: location
    )
  }

  /// Runs `oppi`, and expects its exit status.
  @discardableResult
  func oppi(
    _ arguments: [String],
    input: String? = nil,
    environment: [String: String] = [:],
    exits status: Int32,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let outcome = try await oppi(arguments, input: input, environment: environment)
    #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
    return outcome
  }
}
