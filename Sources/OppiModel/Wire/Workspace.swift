// SPDX-License-Identifier: MIT

/// A folder or a sandbox on a server in which agents work, with its defaults.
package struct Workspace: Sendable, Equatable {
  package let id: String
  /// Any text, not unique; made safe to show.
  package var name: String
  package var icon: String?
  package var description: String?
  package var defaultModel: String?
  /// The folder on the server's machine, if any; made safe to show.
  package var folder: String?

  package init(
    id: String,
    name: String,
    icon: String? = nil,
    description: String? = nil,
    defaultModel: String? = nil,
    folder: String? = nil
  ) {
    self.id = id
    self.name = name
    self.icon = icon
    self.description = description
    self.defaultModel = defaultModel
    self.folder = folder
  }

  /// Reads the server's object; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    let name = json["name"].line(120) ?? ""
    self.init(
      id: id,
      name: name.isEmpty ? id : name,
      icon: json["icon"].line(40),
      description: json["description"].line(300),
      defaultModel: json["defaultModel"].line(120),
      folder: json["hostMount"].line(400)
    )
  }

  /// The members that the cache keeps, named as on the wire.
  package var json: JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "icon": icon.map(JSONValue.string),
      "description": description.map(JSONValue.string),
      "defaultModel": defaultModel.map(JSONValue.string),
      "hostMount": folder.map(JSONValue.string),
    ])
  }
}
