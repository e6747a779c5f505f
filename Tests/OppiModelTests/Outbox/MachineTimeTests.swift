// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

/// Elapsed time by the adjustable clock and by the clock that starts at boot.
@Suite struct MachineTimeTests {
  private static let margin = 5
  private static let left = MachineTime(timeOfDay: .noon, sinceBoot: .seconds(1000))

  /// The elapsed time after 100 s in which the time of day was set by `jump` seconds.
  private static func elapsed(setBy jump: Int, restartedBefore: Int? = nil) -> Duration? {
    MachineTime(
      timeOfDay: .ago(-100 - jump),
      sinceBoot: .seconds(restartedBefore ?? 1100)
    )
    .elapsed(since: left)
  }

  @Test("the elapsed time is correct after the clock was set back", arguments: [-1, -60, -100])
  func setBack(jump: Int) {
    #expect(Self.elapsed(setBy: jump) == .seconds(100 + Self.margin))
  }

  @Test(
    "the elapsed time is unknown if the clock went back before the start",
    arguments: [-101, -3600]
  )
  func farBack(jump: Int) {
    #expect(Self.elapsed(setBy: jump) == nil)
  }

  @Test("the elapsed time is too long after the clock was set forward")
  func forward() {
    #expect(Self.elapsed(setBy: 0) == .seconds(100 + Self.margin))
    #expect(Self.elapsed(setBy: 50) == .seconds(150 + Self.margin))
  }

  @Test("after a restart the elapsed time is at least the time since boot")
  func restart() {
    #expect(Self.elapsed(setBy: 0, restartedBefore: 20) == .seconds(100 + Self.margin))
    #expect(Self.elapsed(setBy: -90, restartedBefore: 20) == .seconds(20 + Self.margin))
  }

  @Test("the time of day is used if the time since boot is unknown")
  func timeOfDayAlone() {
    let left = MachineTime(timeOfDay: .noon)
    let now = MachineTime(timeOfDay: .ago(-7), sinceBoot: .seconds(9000))
    #expect(now.elapsed(since: left) == .seconds(7 + Self.margin))
    #expect(left.elapsed(since: now) == nil)
  }

  @Test("no elapsed time is shorter than the margin")
  func same() {
    #expect(Self.left.elapsed(since: Self.left) == .seconds(Self.margin))
  }

  @Test("extreme moments do not overflow, and a moved moment moves both clocks")
  func extremes() {
    let ends = [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)]
    for (one, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      let moment = MachineTime(timeOfDay: one, sinceBoot: .milliseconds(Int.max))
      let earlier = MachineTime(timeOfDay: other, sinceBoot: .milliseconds(Int.min))
      #expect((moment.elapsed(since: earlier) ?? .zero) >= .zero)
    }
    let moved = Self.left.moved(by: .seconds(-60))
    #expect(moved == MachineTime(timeOfDay: .ago(60), sinceBoot: .seconds(940)))
  }
}
