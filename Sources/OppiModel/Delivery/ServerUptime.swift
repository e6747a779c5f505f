// SPDX-License-Identifier: MIT

/// Whether the process of a server was running at an earlier moment, by the uptime that it reports.
///
/// The uptime is rounded down to seconds. Of a server that was started shortly before the moment,
/// only an uptime that has just changed shows that, so the server is asked again until it changes.
struct ServerUptime: Sendable, Hashable {
  /// Time since the start of the delivery.
  typealias Moment = Duration

  enum Answer: Sendable, Hashable {
    case sameProcess
    /// Another process, or perhaps another one.
    case otherProcess
    /// Not known yet; ask again at a moment.
    case undecided(nextLook: Moment)
  }

  private static let unit = Duration.seconds(1)
  private static let pause = Duration.milliseconds(100)

  /// When to stop asking; `nil` before the first answer that decides nothing.
  private var end: Moment?

  /// Judges an answer that has arrived at `now`.
  ///
  /// `uptime` is `nil` if the server does not report it; `moment` is the earlier moment, or before it.
  mutating func resolve(_ uptime: Duration?, since moment: Moment, at now: Moment) -> Answer {
    guard let uptime, uptime + Self.unit > now - moment else { return .otherProcess }
    if uptime >= now - moment { return .sameProcess }
    let end = end ?? now + Self.unit + Self.pause
    self.end = end
    return now < end ? .undecided(nextLook: now + Self.pause) : .otherProcess
  }
}
