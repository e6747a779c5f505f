// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import OppiTransport

extension EventLoop {
  /// The present moment as people and files tell it.
  package func timestamp() -> Timestamp { Timestamp(timeOfDay: timeOfDay) }

  /// A random UUID (RFC 9562, version 4).
  package func newID() -> String {
    let high = random.next() & ~0xF000 | 0x4000
    let low = random.next() & ~(0b11 << 62) | 0b10 << 62
    let digits = Self.hexadecimal(high) + Self.hexadecimal(low)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }

  private static func hexadecimal(_ number: UInt64) -> [Character] {
    let digits = Array(String(number, radix: 16))
    return Array(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension EventLoop.WaitError {
  /// As what an answer that is not read in time counts.
  var transportError: TransportError {
    switch self {
    case .timedOut: .timedOut(.answer)
    case .cancelled: .cancelled
    }
  }
}
