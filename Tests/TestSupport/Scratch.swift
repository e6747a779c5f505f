// SPDX-License-Identifier: MIT

package import Foundation

/// A folder of a test's own, removed with the value.
package final class Scratch: Sendable {
  package let folder: String

  package init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/oppi-test-\(UUID().uuidString)"
    try Self.makeFolder(folder)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The folder as a URL.
  package var url: URL { URL(filePath: folder) }

  /// Returns the path of a name in the folder; one that is absolute stays what it is.
  package func path(_ name: String) -> String {
    name.hasPrefix("/") ? name : "\(folder)/\(name)"
  }

  /// Writes a file and the folders above it; returns its path.
  @discardableResult
  package func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    let path = path(name)
    try Self.makeFolder((path as NSString).deletingLastPathComponent)
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: path)
    return path
  }

  /// Writes a shell script and the folders above it; returns its path.
  ///
  /// Another program does so: a child that is started meanwhile by another test would hold what is
  /// open here for writing, and nobody can run that.
  @discardableResult
  package func writeScript(_ text: String, to name: String) throws -> String {
    let draft = try write("#!/bin/sh\n\(text)\n", to: name + ".draft")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", #"cp "$1" "$2" && chmod 700 "$2""#, "sh", draft, path(name)]
    try process.runInTime()
    process.waitUntilExit()
    return path(name)
  }

  /// Returns a file's text, or nil where there is no such file.
  package func read(_ name: String) -> String? {
    (try? Data(contentsOf: URL(filePath: path(name)))).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the permission bits of what is at a path, a link itself included.
  package func mode(_ name: String) -> mode_t? {
    var status = stat()
    return lstat(path(name), &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  package func isLink(_ name: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path(name))) != nil
  }

  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  package func makeFolder(_ name: String) throws { try Self.makeFolder(path(name)) }

  /// Makes a folder and those above it for this user alone, under any umask.
  private static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  /// Returns everything in a folder, sorted.
  package func names(in name: String = ".") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
  }
}
