// SPDX-License-Identifier: MIT

/// A moment by two clocks of this machine.
package struct MachineTime: Sendable, Hashable {
  /// What the machine shows, which may be set to any other time.
  package var timeOfDay: Timestamp
  /// The time since the machine was started, which goes on while it sleeps and is never set; `nil`
  /// where it was not noted.
  package var sinceBoot: Duration?

  /// A clock that was set within this counts as right.
  private static let margin = Duration.seconds(5)

  package init(timeOfDay: Timestamp, sinceBoot: Duration? = nil) {
    self.timeOfDay = timeOfDay
    // No finer than files have it.
    self.sinceBoot = sinceBoot.map { .milliseconds($0.milliseconds) }
  }

  /// The moment so much later, or earlier where it is less than nothing.
  package func moved(by duration: Duration) -> MachineTime {
    MachineTime(
      timeOfDay: timeOfDay.moved(by: duration),
      sinceBoot: sinceBoot.map { $0 + duration }
    )
  }

  /// How long ago another moment was, or longer; `nil` if the time of day went back behind it.
  ///
  /// A time of day that was set back by less than what has passed shows too little. The time since
  /// boot does not, unless the machine was restarted: then that moment was before its start.
  package func elapsed(since earlier: MachineTime) -> Duration? {
    guard timeOfDay >= earlier.timeOfDay else { return nil }
    let shown = Duration.milliseconds(
      timeOfDay.milliseconds - earlier.timeOfDay.milliseconds
    )
    guard let present = sinceBoot, let past = earlier.sinceBoot else { return shown + Self.margin }
    return max(shown, present >= past ? present - past : present) + Self.margin
  }
}
