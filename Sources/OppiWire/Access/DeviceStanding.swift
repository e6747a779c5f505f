// SPDX-License-Identifier: MIT

package import OppiText

/// What a server last answered to the sign-ins of a device that it issued no token to.
///
/// All processes of the user share it, so that none asks what another has been told.
package struct DeviceStanding: Sendable, Equatable {
  package var deviceID: String
  /// A refusal that only a new pairing cures; `nil` if there was none.
  package private(set) var refusal: AccessRefusal?
  /// The server's words of the refusal or the limit, safe to show.
  package private(set) var words: String?
  /// When the server first answered that it does not know the device, without a success since.
  private var doubtedAt: MachineTime?
  /// When the server limited the requests, and for how long.
  private var limitedAt: MachineTime?
  private var limit = Duration.zero

  package init(of deviceID: String) { self.deviceID = deviceID }

  /// The limit of a server that names no time.
  package static let usualLimit = Duration.seconds(60)
  /// Limits the effect of a wrong time in an answer.
  private static let longestLimit = Duration.seconds(300)
  /// The pause of a device that may be unknown: servers count its requests as those of all devices
  /// behind its address, and limit them to eight a minute.
  private static let doubtPause = Duration.seconds(20)

  /// Notes a refusal that only a new pairing cures.
  package mutating func refuse(_ refusal: AccessRefusal, _ words: String?) {
    (self.refusal, self.words) = (refusal, words)
  }

  /// Notes that a request for a challenge was answered as for an unknown device, and returns what
  /// that means: an earlier refusal, `.tooManyChallenges`, or `.unknownDevice` if the device cannot
  /// have that many.
  package mutating func missed(at now: MachineTime, _ words: String?) -> AccessRefusal {
    if let refusal { return refusal }
    limit(for: Self.doubtPause, at: now, words)
    guard let time = doubtedAt.flatMap({ now.leastElapsed(since: $0) }) else {
      doubtedAt = now
      return .tooManyChallenges
    }
    guard time >= AccessRefusal.challengeLifetime else { return .tooManyChallenges }
    refuse(.unknownDevice, words)
    return .unknownDevice
  }

  /// Notes that the server knows the device, or may have made another challenge for it.
  package mutating func clearDoubt() {
    if doubtedAt != nil { (doubtedAt, limitedAt) = (nil, nil) }
  }

  /// Notes that the server accepts no request for a time; by default, for the usual one.
  package mutating func limit(for time: Duration?, at now: MachineTime, _ words: String?) {
    (limitedAt, limit) = (now, min(time ?? Self.usualLimit, Self.longestLimit))
    if refusal == nil { self.words = words }
  }

  /// Why the server is not asked for a time, and what is left of it; `nil` if it may be asked.
  package func pause(at now: MachineTime) -> (refusal: AccessRefusal, time: Duration)? {
    guard let time = limitedAt.flatMap({ now.leastElapsed(since: $0) }), time < limit else {
      return nil
    }
    return (doubtedAt == nil ? .rateLimited : .tooManyChallenges, limit - time)
  }
}

extension DeviceStanding: ShapedRecord {
  package static let shape = RecordShape(
    DeviceStanding(of: ""),
    [
      .required("deviceId", { $1(&$0.deviceID) }, .wireID),
      .optional("refusal", { $1(&$0.refusal) }, .word),
      .optional("words", { $1(&$0.words) }, .line(200)),
      .optional("doubtedAt", { $1(&$0.doubtedAt) }, .machineTime),
      .optional("limitedAt", { $1(&$0.limitedAt) }, .machineTime),
      .defaulted("limit", { $1(&$0.limit) }, .milliseconds),
    ]
  )
}

extension JSONField<MachineTime> {
  /// The moment on both clocks.
  fileprivate static var machineTime: JSONField {
    .object(
      RecordShape(
        MachineTime(timeOfDay: Timestamp(milliseconds: 0)),
        [
          .required("timeOfDay", { $1(&$0.timeOfDay) }, .milliseconds),
          .optional("sinceBoot", { $1(&$0.sinceBoot) }, .milliseconds),
        ]
      )
    )
  }
}
