// SPDX-License-Identifier: MIT

extension HTTPHeaders: Equatable {
  /// Compares the fields with their order and the case of their names.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields, by: ==)
  }
}
