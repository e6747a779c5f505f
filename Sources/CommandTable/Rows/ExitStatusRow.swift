// SPDX-License-Identifier: MIT

/// An exit status with what it means.
public struct ExitStatusRow: Sendable, Equatable {
  /// The number.
  public let status: Int32

  /// What it means, without a full stop.
  public let meaning: String

  /// Creates a row.
  public init(_ status: Int32, _ meaning: String) {
    self.status = status
    self.meaning = meaning
  }
}
