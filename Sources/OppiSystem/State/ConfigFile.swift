// SPDX-License-Identifier: MIT

import OppiModel

/// A setting of `config.json`.
package struct ConfigKey: Sendable, Equatable {
  /// The names that lead to it, joined by dots.
  package let name: String
  package let summary: String
  /// The values that are allowed; empty for any text.
  package let choices: [String]

  /// The workspace that `ask` uses when none is named.
  package static let workspace = ConfigKey(
    name: "workspace",
    summary: "The workspace that ask uses when none is named",
    choices: []
  )

  /// The program that `new` opens in place of `oppi launch` in a terminal.
  package static let appCommand = ConfigKey(
    name: "app.command",
    summary: "What new opens: a program and its arguments, parted by spaces",
    choices: []
  )

  /// Every setting there is.
  package static let all = [workspace, appCommand]

  package var path: [String] { name.split(separator: ".").map(String.init) }
}

/// The user's settings: JSON5, so that they may be commented.
package struct ConfigFile: Sendable {
  package let path: String
  private let files: FileStore

  package init(paths: XDGPaths, files: FileStore) {
    path = paths.configFile
    self.files = files
  }

  /// The settings as they are in the file.
  package struct Settings: Sendable {
    private let json: JSONValue

    init(json: JSONValue) {
      self.json = json
    }

    /// The text of a setting, `nil` where it is not set or empty.
    package subscript(_ key: ConfigKey) -> String? {
      let value = key.path.reduce(json) { $0[$1] }
      return value.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Names in the file that no setting has.
    package var unknownNames: [String] {
      Self.names(in: json, below: []).filter { name in
        !ConfigKey.all.contains { $0.name == name }
      }
    }

    /// The names of all values, dotted, except those inside a known setting.
    private static func names(in json: JSONValue, below path: [String]) -> [String] {
      guard let members = json.object else { return [path.joined(separator: ".")] }
      return members.map(\.key).sorted().flatMap { name -> [String] in
        let inner = path + [name]
        let isKnown = ConfigKey.all.contains { $0.path == inner }
        let leadsOn = ConfigKey.all.contains { $0.path.starts(with: inner) && $0.path != inner }
        return leadsOn && !isKnown
          ? names(in: json[name], below: inner) : [inner.joined(separator: ".")]
      }
    }
  }

  /// Reads the settings; a missing file has none.
  package func load() throws(FileError) -> Settings {
    Settings(json: try JSONFile(path: path, in: files).load() ?? [:])
  }

  /// Changes one setting and keeps the rest of the text, comments included.
  package func set(_ key: ConfigKey, to value: String) async throws(FileError) {
    try await files.withLock(on: path) { () throws(FileError) in
      let text = try files.read(path) ?? []
      let edited: [UInt8]
      do throws(JSONError) {
        edited = try JSON5Edit.set(key.path, to: .string(value), in: text)
      } catch {
        throw .corrupt(path: path, error)
      }
      try files.replace(path, with: edited)
    }
  }
}
