// SPDX-License-Identifier: MIT

/// Lines about what happens while the user types: at most one a second, the others as a number.
struct NewsLines: Sendable {
  private static let pause = Duration.seconds(1)

  private var lastAt: Duration?
  /// The first line that waits.
  private var first: String?
  /// The number of lines behind ``first``.
  private var others = 0

  /// Adds a line; returns the line to print now, if any.
  mutating func add(_ line: String, at now: Duration) -> String? {
    if first == nil { first = line } else { others += 1 }
    return woke(at: now)
  }

  /// Returns the line that has waited for long enough.
  mutating func woke(at now: Duration) -> String? {
    if let lastAt, now < lastAt + Self.pause { return nil }
    guard let line = first else { return nil }
    let more = others > 0 ? "; and \(others) more" : ""
    (lastAt, first, others) = (now, nil, 0)
    return "news: \(line)\(more)"
  }
}
