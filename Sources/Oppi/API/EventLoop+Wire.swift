// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import OppiTransport

extension EventLoop {
  /// The current wall-clock time.
  package func timestamp() -> Timestamp { Timestamp(timeOfDay: timeOfDay) }

  /// The current time on the wall clock and since boot.
  func machineTime() -> MachineTime {
    MachineTime(timeOfDay: timestamp(), sinceBoot: now.elapsed)
  }

  /// A random UUID (RFC 9562, version 4).
  func newID() -> String {
    let high = random.next() & ~0xF000 | 0x4000
    let low = random.next() & ~(0b11 << 62) | 0b10 << 62
    var text: [UInt8] = []
    for index in 0..<32 {
      if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
      let half = index < 16 ? high : low
      text.append(Self.hexadecimal(half >> (60 - 4 * (index & 15)) & 0xF))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func hexadecimal(_ digit: UInt64) -> UInt8 {
    let digit = UInt8(truncatingIfNeeded: digit)
    return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}

extension EventLoop.WaitError {
  /// The transport error of a wait for an answer.
  var transportError: TransportError {
    switch self {
    case .timedOut: .timedOut(.answer)
    case .cancelled: .cancelled
    }
  }
}
