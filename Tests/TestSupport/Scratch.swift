// SPDX-License-Identifier: MIT

package import Foundation

/// A temporary folder, removed with the value.
package final class Scratch: Sendable {
  package let folder: String

  package init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/oppi-test-\(UUID().uuidString)"
    try Self.makeFolder(folder)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  package var url: URL { URL(filePath: folder) }

  /// Returns the path of a name in the folder; an absolute path stays unchanged.
  package func path(_ name: String) -> String {
    name.hasPrefix("/") ? name : "\(folder)/\(name)"
  }

  /// Writes a file and its parent folders; returns the file's path.
  ///
  /// Another process copies a program into place: children that other tests start during the copy
  /// inherit files that are open for writing here, and such a file cannot be run (`ETXTBSY`).
  @discardableResult
  package func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    let path = path(name)
    let isProgram = mode & 0o111 != 0
    let draft = isProgram ? path + ".draft" : path
    try Self.makeFolder((path as NSString).deletingLastPathComponent)
    try Data(text.utf8).write(to: URL(filePath: draft))
    try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: draft)
    guard isProgram else { return path }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", #"cp -p "$1" "$2" && rm "$1""#, "sh", draft, path]
    try process.runInTime()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw NotWritten(path: path) }
    return path
  }

  struct NotWritten: Error {
    let path: String
  }

  /// Writes a shell script and its parent folders; returns the script's path.
  @discardableResult
  package func writeScript(_ text: String, to name: String) throws -> String {
    try write("#!/bin/sh\n\(text)\n", to: name, mode: 0o700)
  }

  /// Returns a file's text, or nil if it cannot be read.
  package func read(_ name: String) -> String? {
    (try? Data(contentsOf: URL(filePath: path(name)))).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the permission bits of a file or a link, without following the link.
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

  /// Creates a folder and its parents with mode 700, under any umask.
  private static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  /// Returns the names in a folder, sorted.
  package func names(in name: String = ".") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
  }
}
