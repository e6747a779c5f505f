// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// What authorizes the requests of a client: one implementation per kind of credential.
protocol Access: Sendable {
  /// Returns a token that is fresh enough for the need; `nil` for requests without authorization.
  ///
  /// A token that must be requested first is requested over `connection`, which the request then
  /// uses too.
  func token(
    for need: AccessToken.Need,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> String?

  /// Returns another token in place of one that the server rejected; `nil` if there is none.
  func replacement(
    of rejected: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> String?
}

/// A token that cannot be replaced, or none.
struct FixedAccess: Access {
  let token: String?

  func token(
    for need: AccessToken.Need,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> String? {
    token
  }

  func replacement(
    of rejected: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> String? {
    nil
  }
}
