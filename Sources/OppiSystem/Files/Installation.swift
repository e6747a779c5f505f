// SPDX-License-Identifier: MIT

import OppiModel

/// Puts files where other programs look for them, and takes them back.
///
/// A file is this program's where its content is what this program would write now, or has written by
/// the record. Every other one is somebody else's and left alone. The record is written before the
/// files, so that whatever a crash leaves is known to the next run.
package struct Installation: Sendable {
  /// A file as it is to be.
  package struct Item: Sendable {
    package let path: String
    /// What it is, for people.
    package let what: String
    package let bytes: [UInt8]
    /// The SHA-256 digest of the bytes, in hexadecimal.
    let digest: String
    /// Files that are installed together: one of them that is on record and is no longer an item is
    /// removed by an installation of the others.
    package var collection: String?

    package init(path: String, what: String, bytes: [UInt8], collection: String? = nil) {
      (self.path, self.what, self.bytes) = (path, what, bytes)
      digest = SHA256.hex(of: bytes)
      self.collection = collection
    }
  }

  /// What became of a file.
  package enum Outcome: Sendable, Equatable {
    case written
    case unchanged
    case removed
    /// It was written by this program and changed by somebody since: left alone.
    case changed
    /// Something else is there: left alone.
    case foreign
    case failed(FileError)
  }

  package typealias Result = (path: String, what: String, outcome: Outcome)

  /// `nil` where nothing is to be remembered.
  let record: SetupRecordFile?
  let files: FileStore
  /// Whom folders that have to be made are for.
  let folders: Readers

  package init(record: SetupRecordFile?, files: FileStore, folders: Readers) {
    (self.record, self.files, self.folders) = (record, files, folders)
  }

  // MARK: - Installing

  /// Writes the files that are not there or are this program's own of another day, and removes what
  /// their collections no longer have.
  ///
  /// - Parameters:
  ///   - items: The files.
  ///   - product: What is to be made anew where a source of it was written.
  ///   - isTrial: Whether to say what would be done and do nothing.
  /// - Returns: What became of each, in order, of the product where it is this program's doing, and
  ///   of what was removed.
  /// - Throws: Where the record cannot be read or written, before anything else is.
  package func install(
    _ items: [Item],
    product: Product? = nil,
    isTrial: Bool = false
  ) async throws(FileError) -> [Result] {
    var known = try record?.load() ?? SetupRecord()
    let before = known
    var outcomes = items.map { (path: $0.path, what: $0.what, outcome: outcome(of: $0, in: known)) }
    let former = known.former(items)
    if isTrial { return outcomes + former.compactMap { retire($0, in: known, isTrial: true) } }
    let planned = zip(items, outcomes).filter { $1.outcome == .written }.map(\.0)
    for (item, result) in zip(items, outcomes) {
      known.expect(item, result.outcome, missing: files.missingFolders(for: item.folder))
    }
    let isMaking = expect(product, from: planned, in: &known)
    if known != before, let record {
      known.add(folders: files.missingFolders(for: FileStore.parent(of: record.path)))
    }
    try store(known, after: before)
    let announced = known
    for index in items.indices where outcomes[index].outcome == .written {
      outcomes[index].outcome = write(items[index], in: &known)
    }
    if isMaking, let product, let outcome = await make(product, in: &known) {
      outcomes.append((product.path, product.what, outcome))
    }
    for file in former {
      let result = retire(file, in: known, isTrial: false)
      if result?.outcome.isFailure != true { known[file.path] = nil }
      outcomes += [result].compactMap(\.self)
    }
    try store(known, after: announced)
    return outcomes
  }

  /// What is to become of a file.
  private func outcome(of item: Item, in known: SetupRecord) -> Outcome {
    do {
      switch try standing(of: item.path, wanted: item.bytes, in: known) {
      case .absent, .outdated: return .written
      case .current: return .unchanged
      case .changed: return .changed
      case .foreign: return .foreign
      }
    } catch {
      return .failed(error)
    }
  }

  /// Removes a file that is no longer wanted.
  ///
  /// - Returns: The outcome; `nil` where the file is gone. One that was changed since it was written
  ///   is the user's from now on.
  private func retire(_ file: SetupRecord.File, in known: SetupRecord, isTrial: Bool) -> Result? {
    remove(file.path, wanted: nil, in: known, isTrial: isTrial).map { (file.path, file.what, $0) }
  }

  private func write(_ item: Item, in known: inout SetupRecord) -> Outcome {
    do {
      try files.makeFolder(item.folder, for: folders)
      try files.replace(item.path, with: item.bytes, readers: .everyone)
    } catch {
      return .failed(error)
    }
    known[item.path]?.digests = [item.digest]
    return .written
  }

  private func store(_ known: SetupRecord, after before: SetupRecord) throws(FileError) {
    if known != before { try record?.store(known) }
  }

  // MARK: - Removing

  /// Removes what was written and is unchanged, then the folders that were made for it and are empty.
  ///
  /// - Parameters:
  ///   - items: The files as they would be written now.
  ///   - product: What is to be made anew, or goes as well where it was not there before.
  ///   - isTrial: Whether to say what would be done and do nothing.
  /// - Returns: What became of each file that is this program's or was, in order.
  /// - Throws: Where the record cannot be read or replaced.
  package func remove(
    _ items: [Item],
    product: Product? = nil,
    isTrial: Bool = false
  ) async throws(FileError) -> [Result] {
    let known = try record?.load() ?? SetupRecord()
    let recorded = known.files.filter { file in !items.contains { $0.path == file.path } }
    let candidates =
      items.map { ($0.path, $0.what, $0.bytes as [UInt8]?) }
      + recorded.map { ($0.path, $0.what, nil) }
    var results: [Result] = []
    for (path, what, wanted) in candidates {
      guard let outcome = remove(path, wanted: wanted, in: known, isTrial: isTrial) else {
        continue
      }
      // What others have made of it since serves others, too.
      if path == product?.path, outcome == .changed { continue }
      results.append((path, what, outcome))
    }
    if isTrial { return results }
    if let product, results.contains(where: { product.sources.contains($0.path) }),
      let failure = await renew(product), !results.contains(where: { $0.path == product.path })
    {
      results.append((product.path, product.what, failure))
    }
    try forget(known, but: results)
    return results
  }

  /// Returns what became of a file; `nil` where there is none of this program's.
  private func remove(
    _ path: String,
    wanted: [UInt8]?,
    in known: SetupRecord,
    isTrial: Bool
  ) -> Outcome? {
    do {
      if !isTrial, known[path] != nil { files.removeLeftovers(of: path) }
      switch try standing(of: path, wanted: wanted, in: known) {
      case .absent, .foreign: return nil
      case .changed: return .changed
      case .current, .outdated:
        if !isTrial { try files.remove(path) }
        return .removed
      }
    } catch {
      return known[path] == nil ? nil : .failed(error)
    }
  }

  /// Removes the folders that were made and are empty, and keeps on record what could not be removed.
  private func forget(_ known: SetupRecord, but results: [Result]) throws(FileError) {
    func removeFolders(_ folders: [String]) -> [String] {
      folders.reversed().filter { !files.removeIfEmpty(folder: $0) }.reversed()
    }
    var rest = SetupRecord(folders: removeFolders(known.folders))
    for case (let path, _, .failed) in results { rest[path] = known[path] }
    try store(rest, after: known)
    record?.removeLeftovers()
    // Those of the record itself are empty only now, where it was the last one.
    _ = removeFolders(rest.folders)
  }
}
