// SPDX-License-Identifier: MIT

/// A moment on two clocks of this machine: the time of day and the time since boot.
package struct MachineTime: Sendable, Hashable {
  /// May be set forward or back at any time.
  package var timeOfDay: Timestamp
  /// Cannot be set and continues while the machine sleeps; `nil` if it was not recorded.
  package var sinceBoot: Duration?

  /// Smaller corrections of a clock are ignored.
  private static let margin = Duration.seconds(5)

  package init(timeOfDay: Timestamp, sinceBoot: Duration? = nil) {
    self.timeOfDay = timeOfDay
    // Files store milliseconds.
    self.sinceBoot = sinceBoot.map { .milliseconds($0.milliseconds) }
  }

  /// Returns the moment moved later, or earlier by a negative duration.
  package func moved(by duration: Duration) -> MachineTime {
    MachineTime(
      timeOfDay: timeOfDay.moved(by: duration),
      sinceBoot: sinceBoot.map { $0 + duration }
    )
  }

  /// Returns an upper bound of the time since an earlier moment; `nil` if the time of day is before
  /// it.
  ///
  /// The time of day alone is too short if it was set back by less than has passed. The time since
  /// boot is right unless the machine was restarted, and then the earlier moment was before its
  /// boot.
  package func elapsed(since earlier: MachineTime) -> Duration? {
    guard timeOfDay >= earlier.timeOfDay else { return nil }
    let shown = Duration.milliseconds(
      timeOfDay.milliseconds - earlier.timeOfDay.milliseconds
    )
    guard let present = sinceBoot, let past = earlier.sinceBoot else { return shown + Self.margin }
    return max(shown, present >= past ? present - past : present) + Self.margin
  }
}
