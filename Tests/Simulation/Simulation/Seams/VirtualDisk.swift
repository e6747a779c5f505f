// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiSystem
import Synchronization

/// The disk of a world's machine: what programs see, and what would be left of it without power.
///
/// A write is seen by all programs at once, and is on the disk only when it was written through; a
/// name likewise. A loss of power keeps an arbitrary part of what was not.
package final class VirtualDisk: Sendable {
  struct Contents {
    var bytes: [UInt8] = []
    /// What the disk has; `nil` where nothing was ever written through.
    var durable: [UInt8]?
    /// The open file that has the lock.
    var holder: Int?
  }

  struct State {
    var files: [Int: Contents] = [:]
    var names: [String: Int] = [:]
    var durableNames: [String: Int] = [:]
    var folders: Set<String> = ["/", "/home"]
    var lastFile = 0
    var lastHandle = 0
  }

  let kernel: VirtualKernel
  let faults: Mutex<Faults>
  let state = Mutex(State())

  package init(kernel: VirtualKernel, faults: Faults) {
    self.kernel = kernel
    self.faults = Mutex(faults)
  }

  /// Changes what is to be feared from now on.
  package func set(_ faults: Faults) {
    self.faults.withLock { $0 = faults }
  }

  /// Puts a file there, as something that has always been.
  package func put(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      state.addFolders(above: path)
      let file = state.addFile()
      state.files[file] = Contents(bytes: bytes, durable: bytes)
      state.names[path] = file
      state.durableNames[path] = file
    }
  }

  /// What a path's file holds; `nil` where there is none.
  package func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.names[path].flatMap { state.files[$0]?.bytes } }
  }

  /// All paths, sorted.
  package var paths: [String] { state.withLock { $0.names.keys.sorted() } }

  /// Takes the power away: names and bytes that were not written through are kept in part.
  package func losePower() {
    let random = RandomParts(kernel: kernel)
    state.withLock { state in
      for path in Set(state.names.keys).union(state.durableNames.keys).sorted()
      where state.names[path] != state.durableNames[path] && random.isLost() {
        state.names[path] = state.durableNames[path]
      }
      for file in state.files.keys.sorted() {
        guard var contents = state.files[file] else { continue }
        contents.holder = nil
        if contents.durable != contents.bytes, random.isLost() {
          contents.bytes = contents.durable ?? random.torn(contents.bytes)
        }
        contents.durable = contents.bytes
        state.files[file] = contents
      }
      state.durableNames = state.names
    }
  }

  /// Drops the locks of an open file.
  func close(_ handle: Int, of file: Int) {
    state.withLock { state in
      if state.files[file]?.holder == handle { state.files[file]?.holder = nil }
    }
  }

  private struct RandomParts {
    let kernel: VirtualKernel

    func isLost() -> Bool { kernel.randomBits() & 1 == 0 }

    /// A beginning of the bytes, or so many zeros.
    func torn(_ bytes: [UInt8]) -> [UInt8] {
      guard !bytes.isEmpty else { return [] }
      let count = Int(kernel.randomBits() % UInt64(bytes.count + 1))
      return isLost() ? Array(bytes[..<count]) : [UInt8](repeating: 0, count: count)
    }
  }
}

extension VirtualDisk.State {
  mutating func addFile() -> Int {
    lastFile += 1
    files[lastFile] = VirtualDisk.Contents()
    return lastFile
  }

  mutating func addFolders(above path: String) {
    var folder = path
    while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
      folder = String(folder[..<slash])
      folders.insert(folder)
    }
  }
}

/// The disk as one program sees it, up to its death.
package struct ProgramDisk: Disk {
  let disk: VirtualDisk
  let life: Life

  package init(disk: VirtualDisk, life: Life) {
    self.disk = disk
    self.life = life
  }

  /// One call of the program: it may be its last one, and it may fail.
  private func enter(_ call: String, isWrite: Bool) throws(SystemError) {
    guard life.mayGoOn() else { throw SystemError(call, code: EIO) }
    guard isWrite, happens(disk.faults.withLock(\.disk)) else { return }
    throw SystemError(call, code: disk.kernel.randomBits() & 1 == 0 ? ENOSPC : EROFS)
  }

  private func happens(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return Double(disk.kernel.randomBits() >> 11) / Double(1 << 53) < probability
  }

  package func open(_ path: String, for access: FileAccess) throws(SystemError) -> any OpenFile {
    try enter("open", isWrite: access.isCreating)
    let opened = disk.state.withLock { state -> Result<(Int, Int), SystemError> in
      let parent = FileStore.parent(of: path)
      guard state.folders.contains(parent) else {
        return .failure(SystemError("open", code: ENOENT))
      }
      state.lastHandle += 1
      switch (access, state.names[path]) {
      case (.reading, nil): return .failure(SystemError("open", code: ENOENT))
      case (.creating, _?): return .failure(SystemError("open", code: EEXIST))
      case (_, let file?): return .success((file, state.lastHandle))
      case (_, nil):
        let file = state.addFile()
        state.names[path] = file
        return .success((file, state.lastHandle))
      }
    }
    let (file, handle) = try opened.get()
    return ProgramFile(file, handle, of: self)
  }

  package func rename(_ path: String, to name: String) throws(SystemError) {
    try enter("rename", isWrite: true)
    let isThere = disk.state.withLock { state in
      guard let file = state.names.removeValue(forKey: path) else { return false }
      state.names[name] = file
      return true
    }
    guard isThere else { throw SystemError("rename", code: ENOENT) }
  }

  package func remove(_ path: String) throws(SystemError) {
    try enter("unlink", isWrite: false)
    let file = disk.state.withLock { $0.names.removeValue(forKey: path) }
    guard file != nil else { throw SystemError("unlink", code: ENOENT) }
  }

  package func status(ofFolder path: String) throws(SystemError) -> FileStatus {
    try enter("stat", isWrite: false)
    return FileStatus(isOwn: true, mode: 0o700)
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    try enter("mkdir", isWrite: false)
    let code: Int32? = disk.state.withLock { state in
      guard !state.folders.contains(path) else { return EEXIST }
      guard state.folders.contains(FileStore.parent(of: path)) else { return ENOENT }
      state.folders.insert(path)
      return nil
    }
    if let code { throw SystemError("mkdir", code: code) }
  }

  package func names(in folder: String) -> [String] {
    disk.state.withLock { state in
      state.names.keys.filter { FileStore.parent(of: $0) == folder }
        .map { String(FileStore.name(of: $0)) }.sorted()
    }
  }

  package func target(of path: String) -> String { path }

  package func writeThrough(folder: String) {
    guard life.mayGoOn() else { return }
    disk.state.withLock { state in
      for path in Set(state.names.keys).union(state.durableNames.keys)
      where FileStore.parent(of: path) == folder {
        state.durableNames[path] = state.names[path]
      }
    }
  }

  /// An open file of a program.
  private final class ProgramFile: OpenFile {
    private let file: Int
    private let handle: Int
    private let owner: ProgramDisk
    private let position = Mutex(0)

    init(_ file: Int, _ handle: Int, of owner: ProgramDisk) {
      self.file = file
      self.handle = handle
      self.owner = owner
    }

    deinit {
      owner.disk.close(handle, of: file)
    }

    func status() throws(SystemError) -> FileStatus { FileStatus(isOwn: true, mode: 0o600) }

    func read(atMost count: Int) throws(SystemError) -> [UInt8] {
      try owner.enter("read", isWrite: false)
      let start = position.withLock { $0 }
      let bytes = owner.disk.state.withLock { $0.files[file]?.bytes.dropFirst(start) ?? [] }
      let part = Array(bytes.prefix(count))
      position.withLock { $0 += part.count }
      return part
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
      // What is full, or killed, may have taken a part.
      let half = bytes.count / 2
      append(Array(bytes[..<half]))
      try owner.enter("write", isWrite: true)
      append(Array(bytes[half...]))
    }

    private func append(_ bytes: [UInt8]) {
      guard owner.life.isAlive else { return }
      owner.disk.state.withLock { $0.files[file]?.bytes += bytes }
    }

    func writeThrough() throws(SystemError) {
      try owner.enter("fsync", isWrite: true)
      owner.disk.state.withLock { state in
        let bytes = state.files[file]?.bytes
        state.files[file]?.durable = bytes
      }
    }

    func tryLock() throws(SystemError) -> Bool {
      try owner.enter("flock", isWrite: false)
      return owner.disk.state.withLock { state in
        guard let holder = state.files[file]?.holder, holder != handle else {
          state.files[file]?.holder = handle
          return true
        }
        return false
      }
    }
  }
}

extension FileAccess {
  fileprivate var isCreating: Bool {
    if case .creating = self { true } else { false }
  }
}
