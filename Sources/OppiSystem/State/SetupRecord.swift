// SPDX-License-Identifier: MIT

import OppiModel

/// What this program has put in one place where other programs look.
package struct SetupRecord: Sendable, Equatable {
  /// A file that was written, or is about to be.
  package struct File: Sendable, Equatable {
    package var path: String
    /// What it is, for people.
    package var what: String
    /// The SHA-256 of each content that is this program's; none where another program is to make the
    /// file and has not said yet what it is.
    package var digests: [String]
    /// The collection that it was installed with; `nil` for one that stands alone.
    package var collection: String?

    /// Whether these bytes are this program's and not the user's.
    func owns(_ bytes: [UInt8]) -> Bool {
      digests.isEmpty || digests.contains(SHA256.hex(of: bytes))
    }
  }

  /// The folders that were made for the files of this and other places, and for the record itself; an
  /// outer one before those in it.
  package var folders: [String] = []
  package var files: [File] = []

  /// The file at a path; to set it adds, replaces or forgets one.
  package subscript(path: String) -> File? {
    get { files.first { $0.path == path } }
    set {
      let index = files.firstIndex { $0.path == path }
      switch (index, newValue) {
      case (let index?, let file?): files[index] = file
      case (let index?, nil): files.remove(at: index)
      case (nil, let file?): files.append(file)
      case (nil, nil): break
      }
    }
  }

  /// Adds folders that are about to be made.
  mutating func add(folders new: [String]) {
    for folder in new where !folders.contains(folder) { folders.append(folder) }
  }
}

/// The records of all places, in `setup.json` or another file.
///
/// Two programs that set up at once write the same files; whose record stays does not matter then.
package struct SetupRecordFile: Sendable {
  private let file: JSONFile
  private let files: FileStore
  /// The name of the place: `user`, or the folder that is the prefix.
  private let place: String

  package init(paths: XDGPaths, place: String, files: FileStore) {
    self.init(path: paths.setupFile, place: place, files: files)
  }

  /// Takes another file, for what is not put there by `setup`.
  package init(path: String, place: String, files: FileStore) {
    file = JSONFile(path: path, in: files)
    self.files = files
    self.place = place
  }

  package var path: String { file.path }

  /// Returns what was put in the place; nothing where there is no file.
  package func load() throws(FileError) -> SetupRecord {
    guard let json = try file.load() else { return SetupRecord() }
    guard let folders = json["folders"].array, let places = json["places"].object else {
      throw .unusable(path: path, reason: "not a setup record")
    }
    return SetupRecord(
      folders: folders.compactMap(\.string),
      files: (places[place]?.array ?? []).compactMap(SetupRecord.File.init)
    )
  }

  /// Replaces what was put in the place; the file goes with the last one of all places.
  package func store(_ record: SetupRecord) throws(FileError) {
    var places = try file.load()?["places"].object ?? [:]
    places[place] = record.files.isEmpty ? nil : .array(record.files.map(\.json))
    guard !places.isEmpty else { return try files.remove(path) }
    let folders = JSONValue.array(record.folders.map(JSONValue.string))
    try file.save(["folders": folders, "places": .object(places)])
  }

  /// Removes what a run has left that was killed before it could write the file.
  func removeLeftovers() {
    files.removeLeftovers(of: path)
    files.removeIfEmpty(folder: FileStore.parent(of: path))
  }
}

extension SetupRecord.File {
  fileprivate init?(json: JSONValue) {
    guard let path = json["path"].string, path.hasPrefix("/"), let what = json["what"].string,
      let digests = json["sha256"].array
    else { return nil }
    self.init(
      path: path,
      what: what,
      digests: digests.compactMap(\.string),
      collection: json["collection"].string
    )
  }

  fileprivate var json: JSONValue {
    .object([
      "path": .string(path), "what": .string(what),
      "sha256": .array(digests.map(JSONValue.string)),
      "collection": collection.map(JSONValue.string),
    ])
  }
}
