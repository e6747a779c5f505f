// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiModel

extension EventLoop {
  var timestamp: Timestamp { Timestamp(timeOfDay: timeOfDay) }

  /// Creates a random base64url text, which may begin with any character of the alphabet.
  func makeID(_ length: IDLength, beginningWith prefix: String = "") -> String {
    var random = random
    return prefix
      + String(
        (prefix.count..<length.rawValue).map { _ in
          Self.alphabet[Int.random(in: 0..<64, using: &random)]
        }
      )
  }

  /// Creates a random UUID (RFC 9562 section 5.4), which may begin with other characters.
  func makeUUID(beginningWith prefix: String = "") -> String {
    var random = random
    let digits = Array("0123456789abcdef")
    let text = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".map { place -> Character in
      switch place {
      case "x": digits[Int.random(in: 0..<16, using: &random)]
      case "y": digits[Int.random(in: 8..<12, using: &random)]
      default: place
      }
    }
    return prefix + String(text).dropFirst(prefix.count)
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  )
}

enum IDLength: Int {
  case question = 6
  /// Workspaces, sessions and messages.
  case short = 8
  /// Requests for approval, calls and queued messages.
  case long = 12
  case device = 16
  case token = 24
  /// As of 32 random bytes.
  case nonce = 43
}

extension Timestamp {
  /// The time in the format of the `Date` header (RFC 9110 section 5.6.7).
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
