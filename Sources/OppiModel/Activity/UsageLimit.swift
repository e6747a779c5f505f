// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

/// A limit of a model's provider, as a failure states it: a quota of the plan, or a rate limit.
///
/// Providers report limits only in their error texts. The forms are those of Anthropic, OpenAI and
/// Google, as the agent passes them on.
package struct UsageLimit: Sendable, Equatable {
  /// The number of bytes of a text that are read.
  static let textLimit = 4096
  /// A stated time that is further away is not believed.
  static let longestWait = Duration.seconds(60 * 24 * 3600)

  /// The failure's text on one line, safe to show, without the number of seconds that some providers
  /// append.
  package let statement: String
  /// The failure's text in lower case.
  private let words: String

  /// Reads a failure's text; `nil` if it states no usage limit.
  package init?(statedIn text: String) {
    let text = text.head(bytes: Self.textLimit)
    words = text.lowercased()
    let line = text.safeLine()
    let digits = line.trimmingSuffix { $0.isASCII && $0.isNumber }
    statement = digits.hasSuffix("|") ? String(digits.dropLast()) : line
    // The server's own limits are not the provider's.
    guard ServerRefusal(words: text) == nil, isLimit else { return nil }
  }

  /// When the limit ends; `nil` if the text did not state it, or stated an implausible time.
  ///
  /// - Parameter failure: When the failure occurred, for a text that states how long to wait.
  /// - Returns: The time, which may be in the past.
  package func resetAt(after failure: Timestamp) -> Timestamp? {
    let end =
      member(after: failure) ?? epoch ?? wait.map(failure.moved) ?? date
      ?? minuteOfDay.map(failure.next)
    guard let end else { return nil }
    let earliest = failure.moved(by: .zero - .seconds(3600))
    return (earliest...failure.moved(by: Self.longestWait)).contains(end) ? end : nil
  }

  /// What users read: when the limit is reset, if that is known, else the provider's words.
  ///
  /// The words "usage limit" occur once.
  package func sentence(reset: String?) -> String {
    if let reset { return "usage limit reached; \(reset)" }
    return words.contains("usage limit") ? statement : "usage limit reached: \(statement)"
  }

  private var isLimit: Bool {
    Self.phrases.contains(where: words.contains)
      || words.hasPrefix("429") || Self.statusForms.contains { words.contains("\($0)429") }
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

extension UsageLimit {
  /// A member of an error object: `"resets_at":1738888888` or `"resets_in_seconds":8464`.
  private func member(after failure: Timestamp) -> Timestamp? {
    for name in ["resets_at", "reset_at", "resetsat", "resetat"] {
      if let value = words.number(after: "\"\(name)\":") { return Self.time(of: value) }
    }
    return words.number(after: "\"resets_in_seconds\":").map { failure.moved(by: .seconds($0)) }
  }

  /// `usage limit reached|1749924000`.
  private var epoch: Timestamp? { words.number(after: "limit reached|").flatMap(Self.time) }

  /// A time in seconds or milliseconds since the Unix epoch.
  private static func time(of number: Int) -> Timestamp? {
    switch number {
    case 1_000_000_000..<100_000_000_000: Timestamp(seconds: number)
    case 1_000_000_000_000..<100_000_000_000_000: Timestamp(milliseconds: number)
    default: nil
    }
  }

  /// The texts after phrases.
  private func rests(after phrases: [String]) -> some Sequence<Substring> {
    phrases.lazy.compactMap { phrase in
      words.firstRange(of: phrase).map { words[$0.upperBound...] }
    }
  }

  /// `try again in ~47 min`, `reset after 42h1m20s`, `retry in 34.07s`.
  private var wait: Duration? {
    rests(after: [
      "again in ", "retry in ", "reset after ", "resets after ", "reset in ", "resets in ",
      "retry after ", "available in ",
    ]).compactMap { Duration(statedAtStartOf: $0) }.first
  }

  /// A time as `2099-07-22T07:06:58Z` after a word about the reset.
  private var date: Timestamp? {
    rests(after: ["reset", "again at", "resume", "available at"]).compactMap { rest -> Timestamp? in
      let tokens = rest.split { " \"',;()".contains($0) }.prefix(8)
      let texts = tokens.map { $0.hasSuffix(".") ? $0.dropLast() : $0 }
      return texts.lazy.compactMap { Timestamp(iso8601: $0.uppercased()) }.first
    }.first
  }

  /// `resets 7:30pm (utc)`; a time of another zone, or of none, is not a time that is known here.
  private var minuteOfDay: Int? {
    rests(after: ["resets ", "reset at ", "resets at "]).compactMap { rest -> Int? in
      let tokens = rest.split(separator: " ").prefix(2)
      guard tokens.count == 2, ["(utc)", "(etc/utc)"].contains(where: tokens[1].hasPrefix) else {
        return nil
      }
      return Self.minute(of: tokens[0])
    }.first
  }

  /// The minutes since midnight of `7pm`, `11:30am` or `19:30`.
  private static func minute(of time: Substring) -> Int? {
    let isAfternoon = time.hasSuffix("pm")
    let isTwelveHours = isAfternoon || time.hasSuffix("am")
    let parts = time.dropLast(isTwelveHours ? 2 : 0).split(separator: ":")
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.count <= 2 }) else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count, parts.count == 2 || isTwelveHours else { return nil }
    let minute = numbers.count == 2 ? numbers[1] : 0
    guard (isTwelveHours ? 1...12 : 0...23).contains(numbers[0]), (0...59).contains(minute) else {
      return nil
    }
    let hour = isTwelveHours ? numbers[0] % 12 + (isAfternoon ? 12 : 0) : numbers[0]
    return hour * 60 + minute
  }
}

extension Duration {
  /// Reads pairs of numbers and units, such as `3 days 4 hours` or `~47 min`; `nil` without any.
  ///
  /// The sum is limited to 10 years.
  init?(statedAtStartOf text: Substring) {
    var rest = text.drop { "~ ".contains($0) }
    var sum = Duration.zero
    var count = 0
    while count < 5 {
      let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      guard number.count <= 12, let value = Double(number) else { break }
      let unit = rest[number.endIndex...].drop { $0 == " " }.prefix { $0.isASCII && $0.isLetter }
      guard let seconds = Self.seconds(in: unit) else { break }
      sum += .milliseconds(Int(min(value * seconds * 1000, 315_360_000_000)))
      rest = rest[unit.endIndex...].drop { ", ".contains($0) }
      if rest.hasPrefix("and ") { rest = rest.dropFirst(4) }
      count += 1
    }
    guard count > 0 else { return nil }
    self = min(sum, .seconds(315_360_000))
  }

  private static func seconds(in unit: Substring) -> Double? {
    switch unit {
    case "ms": 0.001
    case "s", "sec", "secs", "second", "seconds": 1
    case "m", "min", "mins", "minute", "minutes": 60
    case "h", "hr", "hrs", "hour", "hours": 3600
    case "d", "day", "days": 86_400
    default: nil
    }
  }
}

extension String {
  /// The whole number after the first occurrence of a text, of at most 15 digits.
  fileprivate func number(after text: String) -> Int? {
    guard let range = firstRange(of: text) else { return nil }
    let rest = self[range.upperBound...].drop { $0 == " " }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    return digits.count <= 15 ? Int(digits) : nil
  }
}
