// SPDX-License-Identifier: MIT

extension String: ArgumentValue {
  /// Stands for any text.
  public static var placeholder: String { "TEXT" }

  /// Takes the word as it is, also an empty one.
  public init(argument: String) {
    self = argument
  }

  /// The text itself, or nil when it is empty.
  public var argumentText: String? { isEmpty ? nil : self }
}
