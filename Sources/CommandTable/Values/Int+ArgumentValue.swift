// SPDX-License-Identifier: MIT

extension Int: ArgumentValue {
  /// Stands for a whole number.
  public static var placeholder: String { "N" }

  /// Reads a decimal whole number.
  public init(argument: String) throws(ArgumentValueError) {
    guard let number = Int(argument) else {
      throw ArgumentValueError("expects a whole number")
    }
    self = number
  }

  /// The number in decimal.
  public var argumentText: String? { String(self) }
}
