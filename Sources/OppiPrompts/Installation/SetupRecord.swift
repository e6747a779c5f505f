// SPDX-License-Identifier: MIT

package import OppiSystem
import OppiText
import OppiWire

/// The files that this program has installed in one place.
struct SetupRecord: Sendable, Equatable {
  struct File: Sendable, Equatable {
    var path: String
    /// A description for the user.
    var what: String
    /// SHA-256 of this program's contents; empty before another program generates the file.
    var digests: [String]
    /// The collection with which the file was installed; `nil` for a single file.
    var collection: String?

    /// Whether this program wrote these bytes.
    func owns(_ bytes: [UInt8]) -> Bool {
      digests.isEmpty || digests.contains(SHA256.hex(of: bytes))
    }
  }

  /// The created folders of all places and of the record; parents before subfolders.
  var folders: [String] = []
  var files: [File] = []

  /// The file at a path; setting it adds, replaces or removes an entry.
  subscript(path: String) -> File? {
    get { files.first { $0.path == path } }
    set {
      guard let index = files.firstIndex(where: { $0.path == path }) else {
        if let newValue { files.append(newValue) }
        return
      }
      files.replaceSubrange(index...index, with: newValue.map { [$0] } ?? [])
    }
  }

  mutating func add(folders new: [String]) {
    for folder in new where !folders.contains(folder) { folders.append(folder) }
  }
}

/// The records of all places, in `setup.json` or another file.
///
/// Two concurrent installations write the same files, so it does not matter which record remains.
package struct SetupRecordFile: Sendable {
  private struct Contents: ShapedRecord {
    var folders: [String] = []
    /// The files of each place.
    var places: JSONObject = [:]

    static let shape = RecordShape(
      Contents(),
      [
        .required("folders", { $1(&$0.folders) }, .list(of: .text)),
        .required("places", { $1(&$0.places) }, .record),
      ]
    )
  }

  private let file: RecordFile<Contents>
  private let files: FileStore
  /// The name of the place: `user`, or the folder of the prefix.
  private let place: String

  package init(path: String, place: String, files: FileStore) {
    file = RecordFile(path, in: files, reason: { _ in "not a setup record" })
    self.files = files
    self.place = place
  }

  var path: String { file.path }

  /// Returns the record of the place; empty if there is no file.
  func load() throws(FileError) -> SetupRecord {
    guard let contents = try file.load() else { return SetupRecord() }
    let files = (contents.places[place]?.array ?? []).compactMap(SetupRecord.File.shape.record)
    return SetupRecord(folders: contents.folders, files: files)
  }

  /// Replaces the record of the place; removes the file if no place has a record.
  func store(_ record: SetupRecord) throws(FileError) {
    var contents = try file.load() ?? Contents()
    let rows = record.files.map(SetupRecord.File.shape.json)
    contents.folders = record.folders
    contents.places[place] = rows.isEmpty ? nil : .array(rows)
    if contents.places.isEmpty { try file.remove() } else { try file.save(contents) }
  }

  /// Removes temporary files of a run that was killed, and the empty folder.
  func removeLeftovers() {
    files.removeLeftovers(of: path)
    files.removeIfEmpty(folder: FileStore.parent(of: path))
  }
}

extension SetupRecord.File {
  static let shape = RecordShape(
    SetupRecord.File(path: "", what: "", digests: []),
    [
      .required("path", { $1(&$0.path) }, .text.accepting { $0.hasPrefix("/") }),
      .required("what", { $1(&$0.what) }, .text),
      .required("sha256", { $1(&$0.digests) }, .list(of: .text)),
      .optional("collection", { $1(&$0.collection) }, .text),
    ]
  )
}

// MARK: - Ownership

extension Installation {
  /// What an installation does with the file at a path; `nil` if there is no file.
  func outcome(
    at path: String,
    wanted: [UInt8]?,
    in known: SetupRecord
  ) throws(FileError) -> Outcome? {
    // This program creates no symbolic links.
    if files.isLink(path) { return .foreign }
    guard let found = try files.read(path, privacy: .untrusted) else { return nil }
    if found == wanted { return .unchanged }
    guard let file = known[path] else { return .foreign }
    return file.owns(found) ? .written : .changed
  }
}
