// SPDX-License-Identifier: MIT

import Testing

@testable import OppiText
@testable import OppiWire

/// What the answers of a server mean for the next requests, on two clocks.
@Suite("DeviceStanding")
struct DeviceStandingTests {
  private static let start = MachineTime(
    timeOfDay: Timestamp(seconds: 1_790_000_000),
    sinceBoot: .seconds(1000)
  )

  /// A later moment, at which the time of day was also set forward, or back by a negative number.
  private static func after(_ seconds: Double, setBy jump: Int = 0) -> MachineTime {
    var moment = start.moved(by: .seconds(seconds))
    moment.timeOfDay = moment.timeOfDay.moved(by: .seconds(jump))
    return moment
  }

  @Test(
    "an unknown device counts as revoked only after 90 s",
    arguments: [
      (after(0), .tooManyChallenges), (after(89.999), .tooManyChallenges),
      (after(90), .unknownDevice), (after(3600), .unknownDevice),
      // The clock was set.
      (after(10, setBy: 3600), .tooManyChallenges), (after(90, setBy: 3600), .unknownDevice),
      (after(90, setBy: -1), .tooManyChallenges), (after(3600, setBy: -4000), .tooManyChallenges),
      (after(4000, setBy: -3950), .tooManyChallenges),
      // The machine was restarted, or another one has the same home.
      (MachineTime(timeOfDay: after(3600).timeOfDay, sinceBoot: .seconds(1)), .tooManyChallenges),
      (MachineTime(timeOfDay: after(1).timeOfDay, sinceBoot: .seconds(9999)), .tooManyChallenges),
      (MachineTime(timeOfDay: after(3600).timeOfDay), .tooManyChallenges),
    ] as [(MachineTime, AccessRefusal)]
  )
  func doubt(moment: MachineTime, meaning: AccessRefusal) {
    var standing = DeviceStanding(of: "dev_1")
    #expect(standing.missed(at: Self.start, "Unknown") == .tooManyChallenges)
    #expect(standing.missed(at: moment, "Unknown") == meaning)
    #expect(standing.refusal == (meaning == .unknownDevice ? .unknownDevice : nil))
    #expect(standing.words == "Unknown")
  }

  @Test("a clock that was set back starts the 90 s again, once")
  func doubtAfterJump() {
    var standing = DeviceStanding(of: "dev_1")
    _ = standing.missed(at: Self.start, nil)
    #expect(standing.missed(at: Self.after(80, setBy: -3600), nil) == .tooManyChallenges)
    #expect(standing.missed(at: Self.after(169, setBy: -3600), nil) == .tooManyChallenges)
    #expect(standing.missed(at: Self.after(170, setBy: -3600), nil) == .unknownDevice)
  }

  @Test("a doubt ends with an answer that shows that the device is known")
  func clearedDoubt() {
    var standing = DeviceStanding(of: "dev_1")
    _ = standing.missed(at: Self.start, nil)
    standing.clearDoubt()
    #expect(standing.missed(at: Self.after(100), nil) == .tooManyChallenges)
    #expect(standing.missed(at: Self.after(190), nil) == .unknownDevice)
  }

  @Test(
    "a server that limits requests is not asked for its time, else for a minute",
    arguments: [
      (nil, after(0), 60), (nil, after(59), 1), (nil, after(60), nil), (5, after(4), 1),
      (5, after(5), nil), (100_000, after(0), 300), (nil, after(10, setBy: 3600), 50),
      // A time that was set back shows nothing.
      (nil, after(10, setBy: -60), nil),
    ] as [(Int?, MachineTime, Int?)]
  )
  func limit(seconds: Int?, now: MachineTime, rest: Int?) {
    var standing = DeviceStanding(of: "dev_1")
    standing.limit(for: seconds.map { .seconds($0) }, at: Self.start, "rate_limited")
    let pause = standing.pause(at: now)
    #expect(pause?.time == rest.map { .seconds($0) } && pause?.refusal != .tooManyChallenges)
    #expect(standing.words == "rate_limited")
  }

  @Test("a device that may be unknown asks again after 20 s, or after an answer that it is known")
  func doubtPause() {
    var standing = DeviceStanding(of: "dev_1")
    _ = standing.missed(at: Self.start, "Unknown")
    let pause = standing.pause(at: Self.after(19))
    #expect(pause?.refusal == .tooManyChallenges && pause?.time == .seconds(1))
    #expect(standing.pause(at: Self.after(20)) == nil)
    standing.clearDoubt()
    #expect(standing.pause(at: Self.start) == nil)
  }

  @Test("a limit of requests holds although the device is known")
  func limitOfKnownDevice() {
    var standing = DeviceStanding(of: "dev_1")
    standing.limit(for: nil, at: Self.start, "rate_limited")
    standing.clearDoubt()
    #expect(standing.pause(at: Self.after(1))?.time == .seconds(59))
  }

  @Test("another process counts the 90 s from the same moment, on both clocks")
  func otherProcess() throws {
    var first = DeviceStanding(of: "dev_1")
    _ = first.missed(at: Self.start, "Unknown")
    var second = try #require(DeviceStanding(json: first.json))
    #expect(second == first)
    #expect(second.missed(at: Self.after(90), "Unknown") == .unknownDevice)
  }

  @Test("a refusal keeps its words while the server limits requests")
  func words() {
    var standing = DeviceStanding(of: "dev_1")
    standing.refuse(.revoked, "revoked")
    standing.limit(for: nil, at: Self.start, "Too many challenge requests")
    #expect(standing.missed(at: Self.after(61), "Unknown") == .revoked)
    #expect(standing.refusal == .revoked && standing.words == "revoked")
    #expect(DeviceStanding(json: standing.json) == standing)
  }
}
