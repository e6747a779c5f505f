// SPDX-License-Identifier: MIT

/// Decides when to retry a lost connection and when to give up.
///
/// The pauses grow to 30 s and are randomised, so that many clients do not reconnect to a server at
/// the same moment.
package struct Reconnect: Sendable, Hashable {
  /// Time since some starting point.
  package typealias Moment = Duration

  /// A connection that lasts this long resets the pauses; one that breaks earlier does not.
  private static let steadyTime = Duration.seconds(10)
  private static let longestPause = 30

  /// The longest outage before giving up; `nil` for no limit.
  private let patience: Duration?
  /// The failures since the last steady connection.
  private var failures = 0
  private var lostAt: Moment?
  private var standsSince: Moment?

  package init(patience: Duration?) {
    self.patience = patience
  }

  package mutating func succeeded(at now: Moment) {
    standsSince = now
    lostAt = nil
  }

  /// Records a lost connection or a failed attempt; returns the time of the next one, or `nil` to
  /// give up.
  ///
  /// `spread` is a random number from 0 to 1.
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
    // The last attempt is made exactly at the end.
    return now >= end ? nil : min(next, end)
  }
}
