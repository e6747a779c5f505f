// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Installs files for other programs, and removes them.
///
/// A file belongs to this program if its content is what this program would write now, or has
/// written according to the record. Every other file is foreign and not touched. The record is
/// written before the files, so that the next run knows about the files even after a crash.
struct Installation: Sendable {
  /// A file to install.
  struct Item: Sendable {
    let path: String
    let what: String
    let bytes: [UInt8]
    /// The SHA-256 digest of the bytes, in hexadecimal.
    let digest: String
    /// Files that are installed together: a recorded file of the collection that is no longer an
    /// item is removed when the others are installed.
    var collection: String?

    init(path: String, what: String, bytes: [UInt8], collection: String? = nil) {
      (self.path, self.what, self.bytes) = (path, what, bytes)
      digest = SHA256.hex(of: bytes)
      self.collection = collection
    }
  }

  enum Outcome: Sendable, Equatable {
    case written
    case unchanged
    case removed
    /// This program wrote it and it was changed since: not touched.
    case changed
    /// A foreign file is there: not touched.
    case foreign
    case failed(FileError)
  }

  typealias Result = (path: String, what: String, outcome: Outcome)

  /// `nil` to keep no record.
  let record: SetupRecordFile?
  let files: FileStore
  /// The readers of folders that are created.
  let folders: Readers

  // MARK: - Installing

  /// Writes missing files and outdated ones of this program, and removes files that are no longer
  /// in their collections.
  ///
  /// - Parameters:
  ///   - items: The files.
  ///   - product: A product to generate if one of its sources is written.
  ///   - isTrial: Whether to report the outcomes without changing anything.
  /// - Returns: The outcome of each item in order, of the product if it belongs to this program,
  ///   and of removed files.
  /// - Throws: If the record cannot be read or written, before any file is changed.
  func install(
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
  /// - Returns: The outcome; `nil` if the file is gone. A file that was changed belongs to the user
  ///   from now on.
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

  /// Removes unchanged files, then empty folders that were created for them.
  ///
  /// - Parameters:
  ///   - items: The files as they would be written now.
  ///   - product: A product to generate again, or to remove if this program created it.
  ///   - isTrial: Whether to report the outcomes without changing anything.
  /// - Returns: The outcome of each file that belongs or belonged to this program, in order.
  /// - Throws: If the record cannot be read or replaced.
  func remove(
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
      // Another program has changed it for other files: keep it.
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

  /// Returns the outcome for a file; `nil` if no file of this program is there.
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

  /// Removes created folders that are empty, and keeps a record of what could not be removed.
  private func forget(_ known: SetupRecord, but results: [Result]) throws(FileError) {
    func removeFolders(_ folders: [String]) -> [String] {
      folders.reversed().filter { !files.removeIfEmpty(folder: $0) }.reversed()
    }
    var rest = SetupRecord(folders: removeFolders(known.folders))
    for case (let path, _, .failed) in results { rest[path] = known[path] }
    try store(rest, after: known)
    record?.removeLeftovers()
    // The record's own folders are empty only now.
    _ = removeFolders(rest.folders)
  }
}

extension Installation {
  /// A file that another program generates from installed files, such as a cache.
  struct Product: Sendable {
    var path: String
    var what: String
    var sources: Set<String>
    /// Runs the other program, which may fail.
    var make: @Sendable () async -> Void
  }

  /// Decides whether to generate the product, and records it if it will belong to this program.
  func expect(
    _ product: Product?,
    from planned: [Item],
    in known: inout SetupRecord
  ) -> Bool {
    guard let product else { return false }
    // An interrupted run has left it to be generated.
    let isPending = known[product.path]?.digests == []
    guard isPending || planned.contains(where: { product.sources.contains($0.path) }) else {
      return false
    }
    known[product.path] =
      isOwn(product.path, in: known)
      ? SetupRecord.File(path: product.path, what: product.what, digests: []) : nil
    return true
  }

  /// Whether a product does not exist yet, or was generated for this program.
  private func isOwn(_ path: String, in known: SetupRecord) -> Bool {
    do {
      guard let found = try files.read(path, privacy: .untrusted) else { return true }
      return known[path]?.owns(found) ?? false
    } catch {
      // A recorded product stays on record; the read error is reported when it is next installed.
      return known[path] != nil
    }
  }

  /// Generates the product and returns the outcome; `nil` for a product of another program.
  ///
  /// A product that cannot be read stays on record, because it may have been generated.
  func make(_ product: Product, in known: inout SetupRecord) async -> Outcome? {
    await product.make()
    do {
      let found = try files.read(product.path, privacy: .untrusted)
      guard let found, known[product.path] != nil else {
        known[product.path] = nil
        return nil
      }
      known[product.path]?.digests = [SHA256.hex(of: found)]
      return .written
    } catch {
      return .failed(error)
    }
  }

  /// Generates an existing product again without a removed source; returns a failure's outcome.
  func renew(_ product: Product) async -> Outcome? {
    do {
      if try files.read(product.path, privacy: .untrusted) != nil { await product.make() }
      return nil
    } catch {
      return .failed(error)
    }
  }
}
