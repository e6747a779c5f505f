// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal
package import OppiText

extension UsageLimit {
  /// What users read: `usage limit reached; resets 22:23 (in 2 min)`, or the provider's words.
  ///
  /// `reset` is `nil` if the time is not known.
  func sentence(reset: Timestamp?, at now: Timestamp) -> String {
    sentence(reset: reset.map { "\($0 > now ? "resets" : "was reset at") \($0.clock(at: now))" })
  }
}

extension Timestamp {
  /// The local time, and how far it is ahead: `22:23 (in 2 min)`.
  package func clock(at now: Timestamp) -> String {
    let clock = LocalTime.minute(of: self, seenAt: now)
    guard self > now else { return clock }
    let seconds = (milliseconds - now.milliseconds + 999) / 1000
    return "\(clock) (in \(RelativeTime.age(seconds: seconds)))"
  }
}

extension TurnOutcome {
  /// Why the turn has no answer, if that was reported, in words for users.
  var reasonWords: String? { limit?.statement ?? reason }
}

extension OppiError {
  /// Says when the usage limit that caused the error is reset, if that is known.
  package mutating func add(_ limit: UsageLimit?, failedAt moment: Timestamp, now: Timestamp) {
    guard let limit, let reset = limit.resetAt(after: moment) else { return }
    message = limit.sentence(reset: reset, at: now)
    details["resetAt"] = .string(reset.iso8601)
    details["reason"] = .string(limit.statement)
  }
}
