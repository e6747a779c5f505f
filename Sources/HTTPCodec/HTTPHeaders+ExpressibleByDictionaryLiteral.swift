// SPDX-License-Identifier: MIT

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers of the literal's fields in their order.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}
