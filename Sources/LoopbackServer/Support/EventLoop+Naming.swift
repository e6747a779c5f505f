// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiModel

extension EventLoop {
  /// The present moment as the wire tells it.
  var timestamp: Timestamp { Timestamp(timeOfDay: timeOfDay) }

  /// Makes a random text of base64url characters, which may begin with any of them.
  func makeID(_ length: IDLength, beginningWith prefix: String = "") -> String {
    var random = random
    return prefix
      + String(
        (prefix.count..<length.rawValue).map { _ in
          Self.alphabet[Int.random(in: 0..<64, using: &random)]
        }
      )
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  )
}

/// The lengths of the texts that name things on the wire.
enum IDLength: Int {
  case question = 6
  /// Workspaces, sessions and messages.
  case short = 8
  /// Permission requests, calls and queued messages.
  case long = 12
  case token = 24
}

extension Timestamp {
  /// The form of the `Date` header (RFC 9110 section 5.6.7).
  var httpDate: String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      }
    }
  }

  var json: JSONValue { .number(milliseconds) }
}
