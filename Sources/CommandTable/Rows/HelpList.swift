// SPDX-License-Identifier: MIT

/// Rows of help under a heading of their own.
public struct HelpList: Sendable, Equatable {
  /// What the rows are about, without a colon.
  public let heading: String

  /// The rows in order.
  public let rows: [HelpRow]

  /// Creates a list.
  public init(_ heading: String, _ rows: [HelpRow]) {
    self.heading = heading
    self.rows = rows
  }
}
