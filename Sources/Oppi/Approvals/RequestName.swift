// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// The id of a request, or a prefix of it.
struct RequestName: ArgumentValue, Equatable {
  static let placeholder = "ID"
  static let isIdentifier = true
  /// Shorter prefixes may soon match another request.
  private static let leastLength = 4

  var text: String

  init(argument: String) throws(ArgumentValueError) {
    guard WireID.isValid(argument), argument.count >= Self.leastLength else {
      throw ArgumentValueError("expects a request id, or at least its first 4 characters")
    }
    text = argument
  }
}
