// SPDX-License-Identifier: MIT

/// Why a message over a stream was refused.
enum StreamError: Error {
  /// Told in the answer, or in an `error` where no answer was asked for.
  case refused(String)
  /// Told in an `error` that names no request.
  case protocolError(String)
  case notSubscribed(sessionID: String)
  /// Told in an `error` about the session.
  case questionNotFound(id: String)
}
