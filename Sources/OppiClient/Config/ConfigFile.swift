// SPDX-License-Identifier: MIT

package import OppiSystem
package import OppiText
import OppiWire

/// The user's settings in JSON5, which permits comments.
package struct ConfigFile: Sendable {
  let path: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    path = paths.configFile
    self.files = files
  }

  private var file: RecordFile<JSONObject> { RecordFile(path, in: files) }

  package struct Settings: Sendable {
    package let path: String
    package let json: JSONValue

    /// Returns the text of a setting, `nil` if it is missing, null or empty.
    ///
    /// - Throws: `.wrongType` if the value has another type.
    package func text(of key: ConfigKey) throws(FileError) -> String? {
      var value = json
      var names: [String] = []
      for name in key.path {
        guard value == .null || value.object != nil else {
          throw wrongType(value, at: names, of: key, expected: "an object")
        }
        value = value[name]
        names.append(name)
      }
      switch value {
      case .null: return nil
      case .string(let text): return text.isEmpty ? nil : text
      case .integer(let number) where key.form == .number: return String(number)
      case .double(let number) where key.form == .number: return String(number)
      case .bool(let truth) where key.form == .truth: return String(truth)
      default: throw wrongType(value, at: names, of: key, expected: key.form.words)
      }
    }

    func wrongType(
      _ value: JSONValue,
      at names: [String],
      of key: ConfigKey? = nil,
      expected: String
    ) -> FileError {
      .wrongType(
        path: path,
        name: ConfigKey.name(of: names),
        setting: key?.commandWords,
        found: value.kind,
        expected: expected
      )
    }

    /// False for an invalid value, which may have been meant to forbid it.
    package var keepsHistory: Bool {
      do {
        return try text(of: .history) ?? ConfigKey.history.defaultText
          == BooleanSetting.true.rawValue
      } catch {
        return false
      }
    }

    /// Names in the file that are not settings.
    var unknownNames: [String] { Self.unknownNames(in: json, below: []) }

    private static func unknownNames(in json: JSONValue, below path: [String]) -> [String] {
      guard let members = json.object else { return [ConfigKey.name(of: path)] }
      return members.map(\.key).sorted().flatMap { name -> [String] in
        let inner = path + [name]
        return switch ConfigKey.member(at: inner) {
        case .setting: []
        case .group: unknownNames(in: json[name], below: inner)
        case .nothing: [ConfigKey.name(of: inner)]
        }
      }
    }
  }

  /// Reads the settings; a missing file has none.
  package func load() throws(FileError) -> Settings {
    Settings(path: path, json: try file.load()?.json ?? [:])
  }

  /// Changes one setting and keeps the rest of the text, including comments.
  func set(_ key: ConfigKey, to value: String) async throws(FileError) {
    try await edit { text throws(JSONError) in
      try JSON5Edit.set(key.path, to: key.form.json(of: value), in: text)
    }
  }

  /// Removes one setting and keeps the rest of the text, including comments.
  func unset(_ key: ConfigKey) async throws(FileError) {
    try await edit { text throws(JSONError) in try JSON5Edit.remove(key.path, from: text) }
  }

  private func edit(
    _ change: ([UInt8]) throws(JSONError) -> [UInt8]
  ) async throws(FileError) {
    try await files.withLock(on: path) { () throws(FileError) in
      let present = try files.read(path)
      let text = present ?? []
      try file.checkVersion()
      let edited: [UInt8]
      do throws(JSONError) {
        edited = try change(text)
      } catch {
        throw .corrupt(path: path, error)
      }
      guard edited != text else { return }
      // The file was emptied by another program.
      if let present, present.allSatisfy({ $0 <= UInt8(ascii: " ") }) {
        _ = try files.keepAside(path)
      }
      try files.replace(path, with: edited)
    }
  }
}

extension ConfigKey.Form {
  /// The expected type in error messages.
  fileprivate var words: String { self == .truth ? "true or false" : "a quoted string" }

  fileprivate func json(of value: String) -> JSONValue {
    guard self == .truth, ["true", "false"].contains(value) else { return .string(value) }
    return .bool(value == "true")
  }
}

extension JSONValue {
  /// The type in error messages.
  fileprivate var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .double: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension ConfigFile.Settings {
  /// An entry of `directories`: the workspace of a folder and its subfolders.
  package struct DirectoryEntry: Sendable {
    let key: ConfigKey
    let folder: FolderPath
    let workspace: String
  }

  /// Returns the entries of `directories` in the order of the file.
  ///
  /// - Parameter home: The folder that `~` stands for.
  /// - Returns: The entries that name a workspace; each folder once.
  /// - Throws: If a name is neither an absolute path nor one below `~`, if two names refer to the
  ///   same folder, or if a value is not a string.
  package func directories(home: @autoclosure () -> String) throws(FileError) -> [DirectoryEntry] {
    let names = try entries(of: ConfigKey.directories).map(\.key)
    guard !names.isEmpty else { return [] }
    let home = home()
    var entries: [DirectoryEntry] = []
    var keys: [FolderPath: ConfigKey] = [:]
    for name in names {
      let key = ConfigKey.directory(name)
      guard let folder = FolderPath(name, home: home) else {
        throw unusable(key.name, "expects a path that starts with / or ~/")
      }
      if let other = keys.updateValue(key, forKey: folder) {
        throw unusable(key.name, "is the same folder as \(other.name); remove one of them")
      }
      guard let workspace = try text(of: key) else { continue }
      entries.append(DirectoryEntry(key: key, folder: folder, workspace: workspace))
    }
    return entries
  }

  /// Returns the entry of the nearest folder at or above the working directory, over both of its
  /// paths; `nil` if there is none.
  ///
  /// - Throws: What ``directories(home:)`` throws.
  func directory(
    above place: @autoclosure () -> WorkingDirectory
  ) throws(FileError) -> DirectoryEntry? {
    guard try !entries(of: ConfigKey.directories).isEmpty else { return nil }
    let place = place()
    var nearest: (levels: Int, entry: DirectoryEntry)?
    let entries = try directories(home: place.home)
    for path in place.paths {
      for entry in entries {
        guard let levels = entry.folder.levels(above: path) else { continue }
        if levels < nearest?.levels ?? .max { nearest = (levels, entry) }
      }
    }
    return nearest?.entry
  }

  /// Returns the names of the workspaces that have settings of their own, in the order of the file.
  ///
  /// - Throws: If the member is not an object.
  package func workspacesWithSettings() throws(FileError) -> [String] {
    try entries(of: ConfigKey.workspaces).compactMap { name, value in
      Self.isEmpty(value) ? nil : name
    }
  }

  /// Whether a value is an object without settings, as is left after the last one is removed.
  private static func isEmpty(_ value: JSONValue) -> Bool {
    value.object?.allSatisfy { $0.value.object?.isEmpty == true } == true
  }

  /// The members of an object with user-defined names; empty if it is missing.
  private func entries(of name: String) throws(FileError) -> [JSONObject.Element] {
    switch json[name] {
    case .null: return []
    case .object(let members): return members.filter { $0.value != .null }
    case let value: throw wrongType(value, at: [name], expected: "an object")
    }
  }

  /// An error about the value under a name; `reason` follows the name in the message.
  func unusable(_ name: String, _ reason: String) -> FileError {
    .unusableSetting(path: path, name: name, reason: reason)
  }
}

extension ConfigFile.Settings {
  /// The error of a setting whose value cannot be used.
  package func unusable(_ key: ConfigKey, _ reason: String) -> OppiError {
    .file(unusable(key.name, reason))
  }
}

extension Services {
  package var config: ConfigFile { ConfigFile(paths: paths, files: files) }
}
