// SPDX-License-Identifier: MIT

/// The form of a value in JSON, in both directions.
package struct JSONField<Value: Sendable>: Sendable {
  package typealias Parts = @Sendable () -> [(path: String, meaning: String)]

  /// `nil` omits the member.
  let encode: @Sendable (Value) -> JSONValue?
  /// Returns `nil` for an unusable value.
  package let decode: @Sendable (JSONValue) -> Value?
  /// The documented members of the value.
  var parts: Parts
  /// What is wrong with an unusable value, as a predicate.
  var defect: @Sendable (JSONValue) -> String = { _ in "is unusable" }

  package init(
    encode: @escaping @Sendable (Value) -> JSONValue?,
    decode: @escaping @Sendable (JSONValue) -> Value?,
    parts: @escaping Parts = { [] }
  ) {
    (self.encode, self.decode, self.parts) = (encode, decode, parts)
  }

  /// Explains what is wrong with an unusable value.
  package func explaining(_ defect: @escaping @Sendable (JSONValue) -> String) -> JSONField {
    var field = self
    field.defect = defect
    return field
  }

  /// A value that has a text.
  package static func spelled(
    _ text: @escaping @Sendable (Value) -> String,
    _ parse: @escaping @Sendable (String) -> Value?
  ) -> JSONField {
    JSONField(encode: { .string(text($0)) }, decode: { $0.string.flatMap(parse) })
  }

  /// Rejects other values when they are read.
  package func accepting(_ isUsable: @escaping @Sendable (Value) -> Bool) -> JSONField {
    JSONField(
      encode: encode,
      decode: { [decode] json in decode(json).flatMap { isUsable($0) ? $0 : nil } },
      parts: parts
    )
  }
}

extension JSONField {
  /// The value or `nil`, which is omitted.
  var orNil: JSONField<Value?> {
    JSONField<Value?>(
      encode: { [encode] in $0.flatMap(encode) },
      decode: { [decode] in decode($0).map(Optional.some) },
      parts: parts
    )
    .explaining(defect)
  }
}

extension JSONField where Value: Equatable {
  /// Omits the default, which the blank record has.
  package func omitting(_ usual: Value) -> JSONField {
    JSONField(
      encode: { [encode] in $0 == usual ? nil : encode($0) },
      decode: decode,
      parts: parts
    )
    .explaining(defect)
  }
}

// MARK: - Texts and numbers

extension JSONField<String> {
  package static var text: JSONField { JSONField(encode: { .string($0) }, decode: { $0.string }) }

  /// A text that is read on one line, truncated and safe to show.
  package static func line(_ limit: Int) -> JSONField {
    JSONField(encode: { .string($0) }, decode: { $0.line(limit) })
  }
}

extension JSONField where Value: RawRepresentable<String> {
  package static var word: JSONField {
    spelled({ $0.rawValue }, { Value(rawValue: $0) })
  }
}

extension JSONField<Bool> {
  package static var bool: JSONField { JSONField(encode: { .bool($0) }, decode: { $0.bool }) }
}

extension JSONField<Int> {
  package static var integer: JSONField {
    JSONField(encode: { .integer(Int64($0)) }, decode: { $0.int })
  }

  /// A number that is read as 0 if it is negative.
  package static var count: JSONField {
    JSONField(encode: { .integer(Int64($0)) }, decode: { $0.count })
  }
}

extension JSONField<Double> {
  package static var number: JSONField { JSONField(encode: { .double($0) }, decode: { $0.double }) }
}

// MARK: - Other values

extension JSONField<Timestamp> {
  /// Milliseconds since the Unix epoch.
  package static var milliseconds: JSONField {
    JSONField {
      .integer(Int64($0.milliseconds))
    } decode: {
      $0.int.map { Timestamp(milliseconds: $0) }
    }
  }

  package static var iso8601: JSONField {
    spelled({ $0.iso8601 }, { Timestamp(iso8601: $0) })
  }
}

extension JSONField<Duration> {
  package static var milliseconds: JSONField {
    JSONField {
      .integer(Int64($0.milliseconds))
    } decode: {
      $0.int.map { .milliseconds($0) }
    }
  }
}

// MARK: - Lists and dictionaries

extension JSONField {
  /// A list without unusable elements; of a longer one, the first `limit` elements are read.
  package static func list<Element: Sendable>(
    of element: JSONField<Element>,
    limit: Int = .max
  ) -> JSONField where Value == [Element] {
    list(of: element) { $0.prefix(limit).compactMap(element.decode) }
  }

  /// A list that is rejected if one of its elements is unusable.
  package static func wholeList<Element: Sendable>(of element: JSONField<Element>) -> JSONField
  where Value == [Element] {
    list(of: element) { values in
      let elements = values.compactMap(element.decode)
      return elements.count == values.count ? elements : nil
    }
  }

  private static func list<Element: Sendable>(
    of element: JSONField<Element>,
    _ read: @escaping @Sendable ([JSONValue]) -> [Element]?
  ) -> JSONField where Value == [Element] {
    JSONField {
      .array($0.compactMap(element.encode))
    } decode: {
      $0.array.flatMap(read)
    } parts: {
      element.parts().map { ("[]\($0.path)", $0.meaning) }
    }
  }

  /// An object with a member for each key, sorted by name.
  ///
  /// Members with an unusable key or value are left out, or reject the object if it `isWhole`.
  package static func dictionary<Key: Hashable & Sendable, Element: Sendable>(
    by key: JSONField<Key>,
    of element: JSONField<Element>,
    isWhole: Bool = false
  ) -> JSONField where Value == [Key: Element] {
    JSONField { entries in
      let members = entries.compactMap { entry -> JSONObject.Element? in
        guard let name = key.encode(entry.key)?.string, let value = element.encode(entry.value)
        else { return nil }
        return (name, value)
      }
      return .object(JSONObject(members.sorted { $0.key < $1.key }))
    } decode: { json in
      guard let members = json.object else { return nil }
      var entries: [Key: Element] = [:]
      for (name, value) in members {
        if let key = key.decode(.string(name)), let element = element.decode(value) {
          entries[key] = element
        } else if isWhole {
          return nil
        }
      }
      return entries
    }
  }
}
