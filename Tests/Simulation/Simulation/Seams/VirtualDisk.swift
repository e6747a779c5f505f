// SPDX-License-Identifier: MIT

import OppiSystem
import Synchronization

/// The disk of a world: what programs see, and what remains after a power loss.
///
/// All programs see a write at once, but it is durable only once it is written through; the same
/// holds for a name. A power loss keeps an arbitrary part of the rest.
package final class VirtualDisk: Sendable {
  struct Contents {
    var bytes: [UInt8] = []
    /// The durable bytes; `nil` if nothing was ever written through.
    var durable: [UInt8]?
    /// The permission bits.
    var mode = Readers.owner.fileMode
    /// The handle of the open file that holds the lock.
    var holder: Int?
  }

  struct State {
    var files: [Int: Contents] = [:]
    var names: [String: Int] = [:]
    var durableNames: [String: Int] = [:]
    /// The permission bits of each folder.
    var folders = ["/": Readers.owner.folderMode, "/home": Readers.owner.folderMode]
    /// The content that each replaced file had before.
    var previous: [String: [UInt8]] = [:]
    /// Until when files and folders cannot be read, and with which error.
    var unreadable: [String: (end: Duration, code: Int32)] = [:]
    /// What went wrong with reads so far.
    var misreadings: Set<String> = []
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

  /// Makes every write fail until other faults are set.
  package func breakDown() {
    var faults = Faults()
    faults.disk = 1
    set(faults)
  }

  package func set(_ faults: Faults) {
    self.faults.withLock { $0 = faults }
  }

  /// Adds a file that is already durable.
  package func put(
    _ bytes: [UInt8],
    at path: String,
    mode: UInt32 = Readers.owner.fileMode
  ) {
    state.withLock { state in
      state.addFolders(above: path)
      let file = state.addFile()
      state.files[file] = Contents(bytes: bytes, durable: bytes, mode: mode)
      state.names[path] = file
      state.durableNames[path] = file
    }
  }

  package func put(_ text: String, at path: String, mode: UInt32 = Readers.owner.fileMode) {
    put(Array(text.utf8), at: path, mode: mode)
  }

  /// The contents of a file; `nil` if the file does not exist.
  package func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.names[path].flatMap { state.files[$0]?.bytes } }
  }

  /// The text of a file; empty if the file does not exist.
  package func text(at path: String) -> String {
    String(decoding: contents(of: path) ?? [], as: UTF8.self)
  }

  /// The paths of all files, sorted.
  package var paths: [String] { state.withLock { $0.names.keys.sorted() } }

  /// The paths of all folders, sorted.
  package var folders: [String] { state.withLock { $0.folders.keys.sorted() } }

  /// The paths of the files whose locks are held, sorted.
  var lockedPaths: [String] {
    state.withLock { state in
      state.names.filter { state.files[$0.value]?.holder != nil }.keys.sorted()
    }
  }

  /// Cuts the power: only a part of the names and bytes that were not written through remains.
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

  /// Releases the lock of an open file.
  func close(_ handle: Int, of file: Int) {
    state.withLock { state in
      if state.files[file]?.holder == handle { state.files[file]?.holder = nil }
    }
  }

  private struct RandomParts {
    let kernel: VirtualKernel

    func isLost() -> Bool { kernel.randomBits() & 1 == 0 }

    /// Returns a prefix of the bytes, or zeros of the same length.
    func torn(_ bytes: [UInt8]) -> [UInt8] {
      guard !bytes.isEmpty else { return [] }
      let count = Int(kernel.randomBits() % UInt64(bytes.count + 1))
      return isLost() ? Array(bytes[..<count]) : [UInt8](repeating: 0, count: count)
    }
  }
}

extension VirtualDisk.State {
  mutating func addFile(mode: UInt32 = Readers.owner.fileMode) -> Int {
    lastFile += 1
    files[lastFile] = VirtualDisk.Contents(mode: mode)
    return lastFile
  }

  /// The paths of all files and folders.
  var allPaths: Set<String> { Set(folders.keys).union(names.keys) }

  mutating func addFolders(above path: String) {
    var folder = path
    while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
      folder = String(folder[..<slash])
      if folders[folder] == nil { folders[folder] = Readers.owner.folderMode }
    }
  }
}
