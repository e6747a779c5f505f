// SPDX-License-Identifier: MIT

/// An amount in US dollars, exact to a millionth, from 0 to a billion.
package struct Dollars: Sendable, Hashable, Comparable {
  private static let limit = 1_000_000_000

  package static let zero = Dollars(micros: 0)

  /// In millionths of a dollar.
  package let micros: Int

  private init(micros: Int) { self.micros = min(max(micros, 0), Self.limit * 1_000_000) }

  /// An amount that a server reports; `nil` for a number that is not one.
  package init?(_ number: Double) {
    guard number.isFinite, (0...Double(Self.limit)).contains(number) else { return nil }
    self.init(micros: Int((number * 1e6).rounded()))
  }

  /// Reads digits with at most four decimals, such as `2.50`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...9).contains(parts[0].utf8.count),
      parts.count == 1 || (1...4).contains(parts[1].utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }), let whole = Int(parts[0])
    else { return nil }
    let decimals = parts.count == 2 ? parts[1] + String(repeating: "0", count: 6) : "000000"
    self.init(micros: whole * 1_000_000 + (Int(decimals.prefix(6)) ?? 0))
  }

  package var number: Double { Double(micros) / 1e6 }

  /// Dollars and cents, rounded up, so that no cost seems to be free: `$2.50`.
  package var text: String {
    let cents = (micros + 9_999) / 10_000
    return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The amount with all its decimals, at least two: `$0.0053`.
  package var exactText: String {
    var decimals = String(String(micros % 1_000_000 + 1_000_000).dropFirst())
    while decimals.count > 2, decimals.hasSuffix("0") { decimals.removeLast() }
    return "$\(micros / 1_000_000).\(decimals)"
  }

  package static func < (left: Self, right: Self) -> Bool { left.micros < right.micros }

  package static func + (left: Self, right: Self) -> Self {
    Dollars(micros: left.micros + right.micros)
  }

  /// The difference, or zero if it would be negative.
  package static func - (left: Self, right: Self) -> Self {
    Dollars(micros: left.micros - right.micros)
  }
}

extension JSONField<Dollars> {
  /// A number of dollars.
  package static var dollars: JSONField {
    JSONField(encode: { .double($0.number) }, decode: { $0.double.flatMap { Dollars($0) } })
  }
}
