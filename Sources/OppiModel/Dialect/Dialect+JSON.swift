// SPDX-License-Identifier: MIT

extension Dialect {
  /// Reads a stored dialect: an object of the concerns, or the name that earlier versions stored.
  package init?(json: JSONValue) {
    if let name = json.string {
      guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
      self = known.dialect
      return
    }
    guard let dialect = Self.shape.record(from: json) else { return nil }
    self = dialect
  }

  package var json: JSONValue { Self.shape.json(of: self) }

  private static let shape = RecordShape(
    Dialect.multiplexed,
    [
      .required("credential", \.credential, .word),
      .required("stream", \.stream, .word),
      .required("requests", \.requests, .word),
      .required("listing", \.listing, .word),
      .required("creation", \.creation, .word),
      .required("updates", \.updates, .word),
    ]
  )
}
