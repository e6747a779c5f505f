// SPDX-License-Identifier: MIT

import OppiModel

extension Dialect {
  /// The version of a typical server.
  var usualVersion: String {
    switch (stream, credential) {
    case (.session, .bearer): "0.46.0"
    case (.session, .deviceKey): "0.49.1"
    default: "0.2.0"
    }
  }

  /// Whether a token may be in the query.
  var acceptsTokensInQuery: Bool { !hasSessionSockets }
  /// Whether web pages of other origins may read responses.
  var allowsOtherOrigins: Bool { !hasSessionSockets }
}
