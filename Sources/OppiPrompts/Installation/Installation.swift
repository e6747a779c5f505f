// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiSystem
import OppiWire

/// Installs files for other programs, and removes them.
///
/// A file belongs to this program if its content is what this program would write now, or has
/// written according to the record. Every other file is foreign and not touched. The record is
/// written before the files, so that the next run knows about the files even after a crash.
package struct Installation: Sendable {
  /// A file to install.
  package struct Item: Sendable {
    package let path: String
    package let what: String
    package let bytes: [UInt8]
    /// Files that are installed together: a recorded file of the collection that is no longer an
    /// item is removed when the others are installed.
    package var collection: String?

    package init(path: String, what: String, bytes: [UInt8], collection: String? = nil) {
      (self.path, self.what) = (path, what)
      (self.bytes, self.collection) = (bytes, collection)
    }

    var folder: String { FileStore.parent(of: path) }
    /// The SHA-256 digest of the bytes, in hexadecimal.
    var digest: String { SHA256.hex(of: bytes) }
  }

  package enum Outcome: Sendable, Equatable {
    case written
    case unchanged
    case removed
    /// This program wrote it and it was changed since: not touched.
    case changed
    /// A foreign file is there: not touched.
    case foreign
    case failed(FileError)
  }

  package typealias Result = (path: String, what: String, outcome: Outcome)

  /// `nil` to keep no record.
  package let record: SetupRecordFile?
  package let files: FileStore
  /// The readers of folders that are created.
  package let folders: Readers

  package init(record: SetupRecordFile?, files: FileStore, folders: Readers) {
    (self.record, self.files, self.folders) = (record, files, folders)
  }

  // MARK: - Installing

  /// Writes missing files and outdated ones of this program, generates the product if one of its
  /// sources is written, and removes files that are no longer in their collections.
  ///
  /// A trial reports the outcomes without changing anything.
  ///
  /// - Returns: The outcome of each item in order, of the product if it belongs to this program,
  ///   and of removed files.
  /// - Throws: If the record cannot be read or written, before any file is changed.
  package func install(
    _ items: [Item],
    product: Product? = nil,
    isTrial: Bool = false
  ) async throws(FileError) -> [Result] {
    var known = try record?.load() ?? SetupRecord()
    let before = known
    var outcomes = items.map { (path: $0.path, what: $0.what, outcome: outcome(of: $0, in: known)) }
    let collections = Set(items.compactMap(\.collection))
    let former = known.files.filter { file in
      file.collection.map(collections.contains) == true && !items.contains { $0.path == file.path }
    }
    if isTrial {
      return outcomes
        + former.compactMap { file in
          remove(file.path, in: known, isTrial: true).map { (file.path, file.what, $0) }
        }
    }
    let planned = zip(items, outcomes).filter { $1.outcome == .written }.map(\.0)
    for (item, result) in zip(items, outcomes) { announce(item, result.outcome, in: &known) }
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
      let outcome = remove(file.path, in: known, isTrial: false)
      // A file that was changed belongs to the user from now on.
      if outcome?.failure == nil { known[file.path] = nil }
      if let outcome { outcomes.append((file.path, file.what, outcome)) }
    }
    try store(known, after: announced)
    return outcomes
  }

  /// Records a file that is about to be written, or that was found to be identical.
  private func announce(_ item: Item, _ outcome: Outcome, in known: inout SetupRecord) {
    guard outcome == .written || outcome == .unchanged else { return }
    var earlier: [String] = []
    if outcome == .written {
      known.add(folders: files.missingFolders(for: item.folder))
      earlier = known[item.path]?.digests.filter { $0 != item.digest } ?? []
    }
    known[item.path] = SetupRecord.File(
      path: item.path,
      what: item.what,
      digests: earlier + [item.digest],
      collection: item.collection
    )
  }

  private func outcome(of item: Item, in known: SetupRecord) -> Outcome {
    do {
      return try outcome(at: item.path, wanted: item.bytes, in: known) ?? .written
    } catch {
      return .failed(error)
    }
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

  /// Removes unchanged files, then empty folders that were created for them; the product is
  /// generated again, or removed if this program created it.
  ///
  /// A trial reports the outcomes without changing anything.
  ///
  /// - Returns: The outcome of each file that belongs or belonged to this program, in order.
  /// - Throws: If the record cannot be read or replaced.
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

  /// Removes a file, `wanted` or written earlier; `nil` if no file of this program is there.
  private func remove(
    _ path: String,
    wanted: [UInt8]? = nil,
    in known: SetupRecord,
    isTrial: Bool
  ) -> Outcome? {
    do {
      if !isTrial, known[path] != nil { files.removeLeftovers(of: path) }
      switch try outcome(at: path, wanted: wanted, in: known) {
      case nil, .foreign?: return nil
      case .changed?: return .changed
      default:
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
  package struct Product: Sendable {
    package var path: String
    package var what: String
    package var sources: Set<String>
    /// Runs the other program, which may fail.
    package var make: @Sendable () async -> Void

    package init(
      path: String,
      what: String,
      sources: Set<String>,
      make: @escaping @Sendable () async -> Void
    ) {
      (self.path, self.what) = (path, what)
      (self.sources, self.make) = (sources, make)
    }
  }

  /// Decides whether to generate the product, and records it if it will belong to this program.
  func expect(_ product: Product?, from planned: [Item], in known: inout SetupRecord) -> Bool {
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

extension Installation.Outcome {
  package var failure: OppiError? {
    if case .failed(let error) = self { OppiError(error) } else { nil }
  }
}
