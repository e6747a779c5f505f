// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// A member of a shortcut's file.
struct ShortcutMember: Sendable {
  typealias Path<Value> = any WritableKeyPath<Shortcut, Value> & Sendable
  typealias Reader<Value> = @Sendable (JSONValue) throws(ArgumentValueError) -> Value

  let written: JSONMember<Shortcut>
  /// Throws what the member expects or why its value is invalid.
  let read: @Sendable (JSONValue, inout Shortcut) throws(ArgumentValueError) -> Void

  private init<Value>(
    _ name: String,
    _ path: Path<Value>,
    _ meaning: String,
    write: @escaping @Sendable (Value) -> JSONValue?,
    read: @escaping Reader<Value>
  ) {
    written = .member(name, meaning) { write($0[keyPath: path]) }
    self.read = { json, shortcut throws(ArgumentValueError) in
      shortcut[keyPath: path] = try read(json)
    }
  }

  static func prompt(_ name: String, _ path: Path<String>, _ meaning: String) -> Self {
    Self(name, path, meaning) {
      .string($0)
    } read: { json throws(ArgumentValueError) in
      try json.text()
    }
  }

  static func text(_ name: String, _ path: Path<String?>, _ meaning: String) -> Self {
    Self(name, path, meaning) {
      $0.map(JSONValue.string)
    } read: { json throws(ArgumentValueError) in
      try json.text()
    }
  }

  /// Texts by the names of placeholders; omitted if there are none.
  static func texts(_ name: String, _ path: Path<[String: String]>, _ meaning: String) -> Self {
    Self(name, path, meaning) { texts in
      let members = texts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
      return members.isEmpty ? nil : .object(JSONObject(members))
    } read: { json throws(ArgumentValueError) in
      try json.texts()
    }
  }

  /// Omitted if false.
  static func flag(_ name: String, _ path: Path<Bool>, _ meaning: String) -> Self {
    Self(name, path, meaning) {
      $0 ? true : nil
    } read: { json throws(ArgumentValueError) in
      guard let flag = json.bool else { throw ArgumentValueError("expects true or false") }
      return flag
    }
  }

  static func word<Value: ArgumentValue>(
    _ name: String,
    _ path: Path<Value?>,
    _ meaning: String
  ) -> Self {
    Self(name, path, meaning) {
      $0?.argumentText.map(JSONValue.string)
    } read: { json throws(ArgumentValueError) in
      try json.word()
    }
  }

  /// A word that is omitted if it is the default.
  static func word<Value: ArgumentValue & Equatable>(
    _ name: String,
    _ path: Path<Value>,
    usually usual: Value,
    _ meaning: String
  ) -> Self {
    Self(name, path, meaning) {
      $0 == usual ? nil : $0.argumentText.map(JSONValue.string)
    } read: { json throws(ArgumentValueError) in
      try json.word()
    }
  }
}

extension JSONValue {
  fileprivate func text() throws(ArgumentValueError) -> String {
    guard let string, !string.isEmpty else { throw ArgumentValueError("expects a string") }
    return string
  }

  /// A number is accepted as its digits.
  fileprivate func word<Value: ArgumentValue>() throws(ArgumentValueError) -> Value {
    let word = int.map { String($0) } ?? string
    return try Value(argument: word ?? "")
  }

  fileprivate func texts() throws(ArgumentValueError) -> [String: String] {
    guard let object else { throw ArgumentValueError("expects an object with strings") }
    var texts: [String: String] = [:]
    for (name, value) in object {
      guard PromptTemplate.isName(name), let text = value.string else {
        throw ArgumentValueError("expects strings named like placeholders")
      }
      texts[name] = text
    }
    return texts
  }
}
