// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiText

extension EventLoop {
  package var timestamp: Timestamp { Timestamp(timeOfDay: timeOfDay) }

  /// Creates a random base64url text, which may begin with any character of the alphabet.
  package func makeID(_ length: IDLength, beginningWith prefix: String = "") -> String {
    var random = random
    return prefix
      + String(
        (prefix.count..<length.rawValue).map { _ in
          Self.alphabet[Int.random(in: 0..<64, using: &random)]
        }
      )
  }

  /// Creates a random UUID (RFC 9562 section 5.4), which may begin with other characters.
  package func makeUUID(beginningWith prefix: String = "") -> String {
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

package enum IDLength: Int, Sendable {
  case question = 6
  /// Workspaces and messages.
  case short = 8
  /// Calls and queued messages.
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

  /// The format of agents: `2026-11-21T00:24:45.070Z`.
  var iso8601WithMilliseconds: String {
    let fraction = String(1000 + milliseconds - seconds * 1000).dropFirst()
    return "\(iso8601.dropLast()).\(fraction)Z"
  }

  package var json: JSONValue { .number(milliseconds) }
}

extension JSONValue {
  /// Returns the object with further members; `nil` values are omitted.
  package func adding(_ members: JSONObject) -> JSONValue {
    .object((object ?? [:]).adding(members))
  }

  /// Returns the object without some members.
  package func removing(_ names: Set<String>) -> JSONValue {
    .object(JSONObject((object ?? [:]).filter { !names.contains($0.key) }))
  }

  package static func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }
}

extension String {
  package var trimmingBlanks: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
