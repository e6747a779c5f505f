// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiSystem
import Synchronization

// Reads that fail, and reads that lie.
//
// What a program reads may be wrong only where it can notice that, or where it promises nothing:
// - It has less than the file, or zeros, as after a crash of another system: no record is valid JSON
//   without its last byte, so a damaged one is reported, and never taken for a missing one. Only
//   records lie in this way; a file of lines that ends early is as valid as a whole one.
// - It is the version before the last, as from a network disk: only for what can be fetched from the
//   servers again. An old record of the outbox names no departure, and no program could know that
//   its prompt was sent; an old list of servers, written back with a change, loses the last pairing;
//   and an old challenge is signed a second time.
// A flipped bit is left out: it can make another valid text, which nothing could notice, and where
// it does not, it is noticed as zeros are.
extension VirtualDisk {
  /// What an opened file gives a program that reads it, other than its content.
  enum Misreading: Sendable {
    case failure(SystemError)
    case content([UInt8])
  }

  /// The longest time in which a file or folder cannot be read.
  private static let longestFailure = Duration.seconds(30)
  /// Parts of the paths of files that can be fetched again.
  private static let fetched = ["/.cache/", "/status.json", "/dialects.json"]

  /// Draws what goes wrong when a program opens a file for reading; `nil` for nothing.
  ///
  /// - Throws: If the file cannot be opened.
  func misreading(of path: String) throws(SystemError) -> Misreading? {
    let faults = faults.withLock(\.self)
    guard faults.unreadable + faults.lies > 0 else { return nil }
    if let code = failure(of: path, faults) {
      guard code == EIO else { throw SystemError("open", code: code) }
      return .failure(SystemError("read", code: code))
    }
    guard path.hasSuffix(".json"), happens(faults.lies), let bytes = contents(of: path) else {
      return nil
    }
    return .content(lie(about: path, bytes))
  }

  /// Throws if a folder cannot be listed for a while.
  func checkListing(of folder: String) throws(SystemError) {
    let faults = faults.withLock(\.self)
    if let code = failure(of: folder, faults) { throw SystemError("opendir", code: code) }
  }

  /// The error of reading a file or folder for a while; `nil` for none.
  private func failure(of path: String, _ faults: Faults) -> Int32? {
    guard faults.unreadable > 0 else { return nil }
    let now = kernel.elapsed
    if let known = state.withLock({ $0.unreadable[path] }), now < known.end { return known.code }
    guard happens(faults.unreadable) else { return nil }
    let code = choose(among: 2) == 0 ? EIO : EACCES
    let end = now + Self.longestFailure * (Double(choose(among: 1001)) / 1000)
    state.withLock { state in
      state.unreadable[path] = (end, code)
      state.misreadings.insert(code == EIO ? "a read failed" : "a file was not to be read")
    }
    return code
  }

  private func lie(about path: String, _ bytes: [UInt8]) -> [UInt8] {
    let isFetched = Self.fetched.contains { path.contains($0) }
    let old = isFetched ? state.withLock { $0.previous[path] } : nil
    // A line feed may follow the record, which is valid without it.
    let length = bytes.count - (bytes.last == UInt8(ascii: "\n") ? 1 : 0)
    let part = Array(bytes[..<choose(among: max(length, 1))])
    let (name, content): (String, [UInt8]) =
      switch choose(among: old == nil ? 2 : 3) {
      case 0: ("a file was read in part", part)
      case 1: ("a file was read as zeros", [UInt8](repeating: 0, count: bytes.count))
      default: ("an old file was read", old ?? bytes)
      }
    state.withLock { _ = $0.misreadings.insert(name) }
    return content
  }

  /// What went wrong with reads so far.
  var misreadings: Set<String> { state.withLock(\.misreadings) }

  func happens(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return Double(kernel.randomBits() >> 11) / Double(1 << 53) < probability
  }

  private func choose(among count: Int) -> Int { Int(kernel.randomBits() % UInt64(count)) }
}
