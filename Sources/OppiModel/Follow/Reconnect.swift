// SPDX-License-Identifier: MIT

/// When a lost connection is tried again, and when it is given up.
///
/// The pauses grow to half a minute and are spread, so that many followers do not come back to a
/// server at the same moment.
package struct Reconnect: Sendable, Hashable {
  /// The time since some beginning.
  package typealias Moment = Duration

  /// A connection that held so long starts the pauses anew; one that breaks again and again does not.
  private static let steadyTime = Duration.seconds(10)
  private static let longestPause = 30

  /// For how long a server may be away; `nil` for ever.
  private let patience: Duration?
  /// The failures since the last steady connection.
  private var failures = 0
  private var lostAt: Moment?
  private var standsSince: Moment?

  package init(patience: Duration?) {
    self.patience = patience
  }

  /// Takes it that a connection stands.
  package mutating func succeeded(at now: Moment) {
    standsSince = now
    lostAt = nil
  }

  /// Takes it that the connection was lost, or that a try has failed.
  ///
  /// - Parameters:
  ///   - now: The present moment.
  ///   - spread: A random number from 0 to 1.
  /// - Returns: The moment of the next try; `nil` when the patience has come to its end.
  package mutating func failed(at now: Moment, spread: Double) -> Moment? {
    if let standsSince, now - standsSince >= Self.steadyTime { failures = 0 }
    standsSince = nil
    let lostAt = lostAt ?? now
    self.lostAt = lostAt
    failures += 1
    let pause: Duration =
      failures == 1
      ? .milliseconds(200) : .seconds(min(1 << min(failures - 2, 10), Self.longestPause))
    let next = now + pause + max(pause, .seconds(1)) / 4 * min(max(spread, 0), 1)
    guard let patience else { return next }
    let end = lostAt + patience
    // The last try comes at the very end.
    return now >= end ? nil : min(next, end)
  }
}
