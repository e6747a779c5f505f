// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import OppiSystem
import Testing

/// A folder of a test's own, removed with the value.
final class Scratch: Sendable {
  let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/oppi-system-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The folders of a user whose home this is.
  var paths: XDGPaths { XDGPaths(environment: [:], home: folder) }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes a file and the folders above it; returns its path.
  @discardableResult
  func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    let path = name.hasPrefix("/") ? name : path(name)
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try #require(chmod(path, mode) == 0)
    return path
  }

  func read(_ name: String) -> String? {
    let path = name.hasPrefix("/") ? name : path(name)
    return (try? Data(contentsOf: URL(fileURLWithPath: path))).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The permission bits of what is at a path, a link itself included.
  func mode(_ name: String) -> mode_t? {
    var status = stat()
    let path = name.hasPrefix("/") ? name : path(name)
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  func isLink(_ name: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path(name))) != nil
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(name),
      withIntermediateDirectories: true
    )
  }

  /// Everything in a folder, sorted.
  func names(in name: String = ".") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
  }
}
