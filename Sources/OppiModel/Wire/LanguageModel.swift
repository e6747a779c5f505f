// SPDX-License-Identifier: MIT

/// A model that a server offers to its agents.
package struct LanguageModel: Sendable, Equatable {
  /// The provider, a slash, and the provider's own name, which may contain slashes too.
  package let id: String
  /// Any text, not unique; made safe to show.
  package var name: String
  /// Made safe to show.
  package var provider: String
  /// In tokens; `nil` if the server does not report it.
  package var contextWindow: Int?
  /// Whether the server uses it where no model is named; false also if it does not report it.
  package var isDefault: Bool
  /// The thinking levels that it supports; empty if the server does not report them.
  package var thinkingLevels: [String]

  /// Reads the server's object; `nil` if its id is missing or not printable unchanged.
  package init?(json: JSONValue) {
    guard let id = json["id"].text(.name), !id.isEmpty, id == id.safeLine(limit: 200) else {
      return nil
    }
    self.id = id
    let name = json["name"].line(120) ?? ""
    self.name = name.isEmpty ? id : name
    let provider = json["provider"].line(120) ?? ""
    self.provider =
      provider.isEmpty ? id.split(separator: "/").first.map(String.init) ?? "" : provider
    contextWindow = json["contextWindow"].int.flatMap { $0 > 0 ? $0 : nil }
    isDefault = json["isDefault"].bool ?? false
    thinkingLevels = (json["thinkingLevels"].array ?? []).prefix(20).compactMap { $0.line(40) }
  }

  /// The members, named as on the wire.
  package var json: JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "provider": .string(provider),
      "contextWindow": contextWindow.map { .integer(Int64($0)) },
      "isDefault": isDefault ? true : nil,
      "thinkingLevels":
        thinkingLevels.isEmpty ? nil : .array(thinkingLevels.map(JSONValue.string)),
    ])
  }
}
