// SPDX-License-Identifier: MIT

import HTTPCodec

extension PairingDesk {
  /// Whether the request's `Authorization` header opens the server; the word's case matters.
  func accepts(bearerOf request: HTTPRequest) -> Bool {
    let value = request.headers["Authorization"] ?? ""
    return value.hasPrefix("Bearer ") && accepts(value.dropFirst("Bearer ".count))
  }
}
