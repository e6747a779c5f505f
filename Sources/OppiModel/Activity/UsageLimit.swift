// SPDX-License-Identifier: MIT

/// A limit of a model's provider, as a failure states it: a quota of the plan, or a rate limit.
///
/// Providers report limits only in their error texts. The forms are those of Anthropic, OpenAI and
/// Google, as the agent passes them on.
package struct UsageLimit: Sendable, Equatable {
  /// When the limit ends, as the text states it.
  enum Reset: Sendable, Equatable {
    case at(Timestamp)
    /// After the failure.
    case after(Duration)
    /// At the next such time of day in UTC, in minutes since midnight.
    case daily(minute: Int)
  }

  /// The number of bytes of a text that are read.
  static let textLimit = 4096
  /// A stated time that is further away is not believed.
  static let longestWait = Duration.seconds(60 * 24 * 3600)

  let reset: Reset?

  /// Reads a failure's text; `nil` if it states no usage limit.
  package init?(statedIn text: String) {
    let text = text.head(bytes: Self.textLimit)
    let words = text.lowercased()
    // The server's own limits are not the provider's.
    guard ServerRefusal(words: text) == nil, Self.isLimit(words) else { return nil }
    reset = Reset(statedIn: words)
  }

  /// When the limit ends; `nil` if the text did not state it, or stated an implausible time.
  ///
  /// - Parameter failure: When the failure occurred, for a text that states how long to wait.
  /// - Returns: The time, which may be in the past.
  package func resetAt(after failure: Timestamp) -> Timestamp? {
    let end: Timestamp
    switch reset {
    case nil: return nil
    case .at(let time): end = time
    case .after(let wait): end = failure.moved(by: wait)
    case .daily(let minute): end = failure.next(minuteOfDay: minute)
    }
    let earliest = failure.moved(by: .zero - .seconds(3600))
    return (earliest...failure.moved(by: Self.longestWait)).contains(end) ? end : nil
  }

  private static func isLimit(_ words: String) -> Bool {
    phrases.contains(where: words.contains)
      || words.hasPrefix("429") || statusForms.contains { words.contains("\($0)429") }
  }

  private static let phrases = [
    "usage limit", "usage_limit", "hit your limit", "limit will reset", "5-hour limit",
    "weekly limit", "rate limit", "rate_limit", "too many requests", "resource_exhausted",
    "resource exhausted", "insufficient_quota", "exceeded your current quota", "quota exceeded",
    "quota will reset", "exhausted your capacity", "quota limit", "limit reached ∙ resets",
  ]

  private static let statusForms = ["code: ", "code ", "status: ", "status ", "http "]
}

extension TurnOutcome {
  /// The usage limit that made the turn fail; `nil` for any other outcome.
  package var limit: UsageLimit? {
    if case .failed(let reason) = self { UsageLimit(statedIn: reason) } else { nil }
  }
}

extension Timestamp {
  private static let day = 86_400

  /// The first moment after this one with a time of day in UTC.
  fileprivate func next(minuteOfDay minute: Int) -> Timestamp {
    let midnight = seconds - ((seconds % Self.day) + Self.day) % Self.day
    let today = Timestamp(seconds: midnight + minute * 60)
    return today > self ? today : today.moved(by: .seconds(Self.day))
  }
}
